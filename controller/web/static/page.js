// The status page: reads the table's stream, shows one message, the board and the record, and says when all that is old.
import { Board } from "./board.js";
import { Clock } from "./clock.js";
import { Fit } from "./fit.js";
import { $, Stream, post, put } from "./stream.js";

const { lang, build, demo, keys } = document.body.dataset;
const words = JSON.parse(document.body.dataset.words);

const DAY_MS = 24 * 3600 * 1000;

const board = new Board($("board"), Boolean(demo));
const clock = new Clock($("clock"));
const fit = new Fit($("message"), $("record"));
let newest = null; // the last `state` message
let geometryFor = null;
let asking = false;
let token = ""; // of this game, on screens that show its code
let refused = (reason) => {
  health($("said"), "", reason, "bad");
  setTimeout(() => put($("said"), ""), 6000);
};

setInterval(() => {
  if (["setup", "over", "searching"].includes(newest?.message.code)) location.reload();
}, DAY_MS);

// ---- message and record ----------------------------------------------------------------------------------------------

async function show(state) {
  if (state.build !== build && !board.busy) {
    location.reload();
    return;
  }
  newest = state;
  showMessage(state);
  clock.show(state);
  showTurns(state);
  showScore(state);
  fit.again();
  board.state(state);
  await drawBoard(state);
}

// The board's own drawing, once for each set; where it can't be had now, the next beat tries again.
async function drawBoard(state) {
  if (board.geo === null) geometryFor = null;
  if (state.set === null || state.set === geometryFor || asking) return;
  asking = true;
  try {
    const answer = await fetch("/api/set");
    const geometry = answer.ok ? await answer.json() : null;
    if (geometry?.name !== newest.set) return; // another board meanwhile
    geometryFor = geometry.name;
    board.geometry(geometry);
  } catch {
    // the connection is gone: the notice says so already
  } finally {
    asking = false;
  }
}

function fill(list, items) {
  list.replaceChildren(...items);
  list.hidden = items.length === 0;
}

function item(text, piece) {
  const li = document.createElement("li");
  if (piece) {
    const img = document.createElement("img");
    img.src = `/token.svg?kind=${encodeURIComponent(piece)}`;
    img.alt = "";
    li.append(img);
  }
  li.append(text);
  return li;
}

function showMessage(state) {
  const told = state.message;
  document.body.dataset.tone = told.tone;
  document.body.dataset.code = told.code;
  put($("headline"), told.headline);
  $("headline").dataset.length = lengthOf(told.headline);
  put($("sub"), told.sub);
  put($("lead"), told.lead);
  $("lead").toggleAttribute("data-long", told.lead.length > 90);
  const kind = state.players.find((one) => one.id === told.player)?.kind;
  const emblem = $("emblem");
  emblem.hidden = !kind;
  if (kind) emblem.src = `/token.svg?kind=${encodeURIComponent(kind)}`;
  put($("steps-label"), told.label);
  $("steps-block").hidden = told.steps.length === 0;
  $("steps").replaceChildren(...told.steps.map((step) => item(step.text, step.piece)));
  fill($("more"), told.more.map((text) => item(text)));
  showButtons(state, told);
  const short = [told.headline, told.sub].filter(Boolean).join(" ");
  document.title = short ? `${short} · Boardref` : "Boardref";
}

// A name is set as large as it fits, a sentence smaller.
function lengthOf(text) {
  return text.length <= 5 ? "name" : text.length <= 7 ? "word" : text.length <= 13 ? "medium" : "long";
}

// The pretend table has no buttons to press: the page has them. Real players have a page of their own.
function showButtons(state, told) {
  if (!demo) return;
  const wanted = [];
  if (told.answers) wanted.push(["yes", null, words.label_yes], ["no", null, words.label_no]);
  else if (["to_move", "owed", "settling"].includes(told.code) && told.player) {
    const name = state.players.find((one) => one.id === told.player)?.name;
    wanted.push(["done", told.player, `${words.label_done} · ${name}`]);
  }
  if (told.code === "operator") wanted.push(["dismiss_operator", null, words.label_dismiss_operator]);
  else wanted.push(["call_operator", null, words.label_call_operator]);
  const key = JSON.stringify(wanted);
  if ($("buttons").dataset.key === key) return; // a button must not vanish under a finger
  $("buttons").dataset.key = key;
  $("buttons").replaceChildren(
    ...wanted.map(([button, who, label]) => {
      const element = document.createElement("button");
      element.type = "button";
      element.textContent = label;
      if (button === "call_operator") element.className = "aside";
      element.addEventListener("click", () => say(who, button));
      return element;
    }),
  );
}

// The keys 1 and 2 are the two players' buttons, for a keypad on the table: a short press is "done", a long one calls
// the operator.
const LONG_PRESS_MS = 1000;
let down = null;

function pressed(event) {
  const who = newest?.players[Number(event.key) - 1]?.id;
  if (!who || !["1", "2"].includes(event.key) || event.repeat || down || event.ctrlKey || event.altKey || event.metaKey) return;
  down = { key: event.key, who, timer: setTimeout(held, LONG_PRESS_MS) };
}

function held() {
  const button = newest.message.code === "operator" ? "dismiss_operator" : "call_operator";
  say(down.who, button);
  down.timer = null;
}

function released(event) {
  if (down?.key !== event.key) return;
  if (down.timer !== null) {
    clearTimeout(down.timer);
    say(down.who, "done");
  }
  down = null;
}

if (demo || keys) {
  document.addEventListener("keydown", pressed);
  document.addEventListener("keyup", released);
  window.addEventListener("blur", () => {
    if (down) clearTimeout(down.timer);
    down = null;
  });
}

function showTurns(state) {
  put($("game-no"), state.game_no ? words.label_game.replace("{n}", state.game_no) : "");
  const named = state.game ? [state.game[0].toUpperCase() + state.game.slice(1)] : [];
  const mode = words[`label_mode_${state.mode}`]; // "referee" needs no word
  put($("brand"), ["Boardref", ...named, ...(mode ? [mode] : [])].join(" · "));
  // Only what the turns say is drawn anew: the list may be scrolled by hand.
  const key = JSON.stringify([state.turns, state.players.map((one) => one.name), state.provisional]);
  if ($("turns").dataset.key === key) return;
  $("turns").dataset.key = key;
  const head = document.createElement("tr");
  head.append(cell("th", ""), ...orderOf(state).map((one) => cell("th", one.name)));
  $("columns").replaceChildren(...(state.turns.length ? [head] : []));
  $("turns").replaceChildren(...rowsOf(state));
  toNewest();
}

// The newest turn stays in sight, and above it whole rows only.
function toNewest() {
  const list = $("scroll");
  list.style.paddingBottom = "0";
  const room = list.clientHeight - $("columns").getBoundingClientRect().height;
  let used = 0;
  for (const one of [...$("turns").rows].reverse()) {
    const height = one.getBoundingClientRect().height;
    if (used + height > room) break;
    used += height;
  }
  if (used > 0 && list.scrollHeight > list.clientHeight) list.style.paddingBottom = `${Math.floor(room - used)}px`;
  list.scrollTop = list.scrollHeight;
}

// Points so far, in the games that count them.
function showScore(state) {
  const score = state.score ?? [];
  $("score").hidden = score.length === 0;
  const best = Math.max(...score);
  $("score").replaceChildren(
    ...state.players.slice(0, score.length).map((one, index) => {
      const [side, points] = [document.createElement("span"), document.createElement("b")];
      points.textContent = score[index];
      side.className = score[index] === best && Math.min(...score) < best ? "ahead" : "";
      side.append(one.name, " ", points);
      return side;
    }),
  );
}

// Also when the list gets less room.
new ResizeObserver(toNewest).observe($("scroll"));

function orderOf(state) {
  const first = state.turns[0]?.player;
  return [...state.players].sort((a, b) => (b.id === first) - (a.id === first));
}

function rowsOf(state) {
  if (state.turns.length === 0) return [row([cell("td", words.label_no_turns, "none")])];
  const columns = orderOf(state).map((one) => one.id);
  const rounds = [];
  for (const turn of state.turns) {
    const column = columns.indexOf(turn.player);
    const last = rounds.at(-1);
    if (!last || last.slice(column).some(Boolean)) rounds.push(columns.map(() => null));
    rounds.at(-1)[column] = turn;
  }
  const newestTurn = state.turns.at(-1);
  return rounds.map((round, index) =>
    row([
      cell("th", `${index + 1}`),
      ...round.map((turn) => {
        const text = turn?.passed ? words.label_passes : turn?.text;
        const made = cell("td", turn ? text + (turn.legal ? "" : " !") : "");
        if (turn === newestTurn) {
          made.className = state.provisional ? "newest provisional" : "newest";
          if (state.provisional) made.title = words.label_provisional;
        }
        return made;
      }),
    ]),
  );
}

function cell(tag, text, className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

function row(cells) {
  const made = document.createElement("tr");
  made.append(...cells);
  return made;
}

// ---- health and actions ----------------------------------------------------------------------------------------------

function showHealth({ camera, link, lights, journal, preview }) {
  const ok = camera.state === "ok";
  const level = ok ? "ok" : camera.state === "starting" ? "off" : "bad";
  health($("camera"), words.label_camera, ok ? words.label_camera_ok : camera.sentence, level);
  const off = link.state === "off" && !lights.connected;
  const says = lights.connected ? words.label_lights_ok : off ? words.label_lights_none : link.sentence || words.label_lights_off;
  health($("lights"), words.label_lights, says, lights.connected ? "ok" : off ? "off" : "bad");
  if ($("looking").hidden === Boolean(preview)) {
    $("looking").hidden = !preview;
    fit.again();
  }
  $("journal").hidden = !journal?.sentence;
  if (journal?.sentence) health($("journal"), "", journal.sentence, "bad");
}

function health(element, label, text, state) {
  element.dataset.state = state;
  put(element, label ? `${label}: ${text}` : text);
}

// The way to the players' page: on the table's own screen as a link, for their phones as a code.
function showInvite({ invite }) {
  token = invite?.token ?? "";
  $("invite").hidden = !invite;
  if (invite) showWay(invite);
  fit.again();
}

function showWay(invite) {
  $("qr").hidden = !invite.address;
  $("invite-words").hidden = !invite.address;
  if (!invite.address) return;
  const source = `/qr.svg?lang=${lang}&t=${invite.token}#${invite.address}`;
  if ($("qr").getAttribute("src") !== source) $("qr").src = source;
}

const say = (player, button) => act(`/api/press?lang=${lang}`, { player, button, token });

async function act(path, body) {
  const answer = await post(path, body);
  if (answer.error) refused(answer.error);
  return answer.ok;
}

if (demo) {
  const { Hands } = await import("./demo.js");
  const hands = new Hands(board, act, words);
  refused = (reason) => hands.refused(reason);
}
new Stream(`/events?lang=${lang}`, words, {
  state: show,
  lights: (data) => {
    board.lights(data.lights);
    showHealth(data);
  },
  world: (data) => board.world(data),
  players: showInvite,
  beat: (data) => {
    clock.beat(data);
    if (newest) drawBoard(newest); // whatever could not be fetched before
  },
});
