// The timeline: every board that stood, newest first, and rulings on it. It looks again whenever the table has news.
import { diagram } from "./diagram.js";
import { send } from "./gate.js";
import { $, Stream, put } from "./stream.js";

const { lang, build } = document.body.dataset;
const words = JSON.parse(document.body.dataset.words);
const AGAIN_MS = 400;

const wanted = Number(new URLSearchParams(location.search).get("game") || 0);
let told = null; // the last answer
let shown = new Map(); // row -> [key, card]
let open = null; // the panel somebody works in: {row, kind}
let timer = 0;

const fill = (text, facts) => text.replace(/\{(\w+)\}/g, (_, key) => facts[key] ?? "");

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in made && key !== "list") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// ---- reading ----

async function look() {
  const answer = await send(`/api/operator/timeline?lang=${lang}&game=${wanted}`, null, "GET");
  if (!answer.ok) {
    say(answer.error || words.lost, "bad");
    return;
  }
  told = answer.told;
  show();
}

function lookSoon() {
  clearTimeout(timer);
  timer = setTimeout(look, AGAIN_MS);
}

function show() {
  $("empty").hidden = told.entries.length > 0;
  showGames();
  put($("names"), Object.entries(told.names ?? {}).map(([player, called]) => `${nameOf(player)}: ${called}`).join(" · "));
  showLines();
  const boards = [];
  let on = {};
  for (const entry of told.entries) {
    on = { ...(entry.whole ?? on), ...entry.changed };
    boards.push([entry, Object.fromEntries(Object.entries(on).filter(([, kinds]) => kinds.length))]);
  }
  const now = new Map();
  const cards = boards.reverse().map(([entry, board]) => {
    const key = JSON.stringify([entry, told.set?.name]);
    const known = shown.get(entry.row);
    const card = known && known[0] === key ? known[1] : makeCard(entry, board);
    now.set(entry.row, [key, card]);
    return card;
  });
  if (cards.length !== shown.size || cards.some((card, i) => $("entries").children[i] !== card)) $("entries").replaceChildren(...cards);
  shown = now;
  if (open && !shown.has(open)) open = null;
}

function showGames() {
  const key = JSON.stringify([told.games, told.number, told.running, told.playing]);
  if ($("game").dataset.key === key) return;
  $("game").dataset.key = key;
  $("game").replaceChildren(
    ...told.games.map((number) => {
      const label = fill(words.timeline_game, { number }) + (number === told.running && told.playing ? ` (${words.timeline_playing})` : "");
      return element("option", { value: number, selected: number === told.number }, label);
    }),
  );
  $("which").hidden = told.games.length < 2;
}

function showLines() {
  const lines = told.lines ?? [];
  $("lines").hidden = lines.length === 0;
  put($("lines-head"), lines.length === 1 ? words.lines_one : fill(words.lines_many, { count: lines.length }));
  const texts = new Set(lines.map((line) => line.text + (line.weak ? ` (${words.line_weak})` : "")));
  $("lines-list").replaceChildren(...[...texts].map((text) => element("li", {}, text)));
}

// ---- one board ----

function makeCard(entry, board) {
  const card = element("li", { className: "entry", tabIndex: -1 });
  card.dataset.verdict = entry.verdict;
  card.dataset.row = entry.row;
  if (!entry.stands) card.dataset.replaced = "1";
  if (told.set && entry.verdict !== "ruling" && entry.verdict !== "restarted") {
    const drawn = diagram(told.set, board, { changed: Object.keys(entry.changed), hidden: entry.hidden, fault: entry.fault });
    drawn.setAttribute("aria-label", entry.title);
    card.append(drawn);
  }
  const text = element("div", { className: "text" });
  const when = new Date(entry.utc);
  text.append(element("time", { dateTime: entry.utc }, when.toLocaleTimeString(lang)), element("h2", {}, entry.title));
  for (const sentence of entry.said) text.append(element("p", {}, sentence));
  if (entry.hidden.length) text.append(element("p", { className: "less" }, fill(words.hidden_sites, { sites: entry.hidden.join(", ") })));
  if (!entry.stands) text.append(element("p", { className: "less" }, words.replaced));
  card.append(text);
  if (entry.can.length) {
    const buttons = entry.can.map((deed) => {
      const button = element("button", { type: "button" }, words[`do_${deed}`]);
      button.dataset.deed = deed;
      button.addEventListener("click", () => deeds[deed](entry, card));
      return button;
    });
    card.append(element("div", { className: "can" }, ...buttons));
  }
  return card;
}

function panel(card, ...children) {
  close();
  open = Number(card.dataset.row);
  const made = element("div", { className: "panel" }, ...children);
  const leave = () => {
    close();
    lookSoon(); // what came meanwhile
  };
  made.append(element("button", { type: "button", className: "aside", onclick: leave }, words.cancel));
  card.append(made);
  made.querySelector("button, input")?.focus();
  return made;
}

function close() {
  for (const old of document.querySelectorAll(".panel")) old.remove();
  open = null;
}

function say(text, state = "ok") {
  put($("answer"), text);
  $("answer").dataset.state = state;
}

async function rule(entry, body) {
  const newest = told.entries.filter((one) => one.verdict !== "ruling").at(-1);
  const answer = await send(`/api/operator/timeline/ruling?lang=${lang}`, { game: told.number, row: entry.row, last: newest?.row ?? 0, ...body });
  say(answer.ok ? (answer.told.said ?? words.done) : answer.error || words.lost, answer.ok ? "ok" : "bad");
  if (answer.ok) close();
  await look();
}

const reasonField = () => element("input", { type: "text", maxLength: 500, placeholder: words.ask_reason, "aria-label": words.ask_reason, className: "reason" });

function confirmed(card, lines, body, entry, more = []) {
  const reason = reasonField();
  const yes = element("button", { type: "button", className: "main" }, words.confirm);
  yes.addEventListener("click", () => rule(entry, { ...body, reason: reason.value }));
  panel(card, ...lines.map((line) => element("p", {}, line)), ...more, reason, yes);
}

async function choicesFor(entry) {
  const answer = await send(`/api/operator/timeline/choices?lang=${lang}&game=${told.number}&row=${entry.row}`, null, "GET");
  if (!answer.ok) say(answer.error || words.lost, "bad");
  return answer.ok ? answer.told : null;
}

const nameOf = (player) => told.players[player] ?? player;

const deeds = {
  accept: (entry) => rule(entry, { do: "accept" }),

  back(entry, card) {
    const from = (entry.after || 0) + 1;
    const text = from === entry.last ? words.ask_back_one : words.ask_back;
    confirmed(card, [fill(text, { from, to: entry.last }), words.told_led], { do: "back" }, entry);
  },

  async set(entry, card) {
    const found = await choicesFor(entry);
    if (!found) return;
    if (!found.stood.length) {
      panel(card, element("p", {}, words.ask_nothing));
      return;
    }
    const buttons = found.stood.map(({ position, player }) => {
      const button = element("button", { type: "button" }, fill(words.ask_moves, { player: nameOf(player) }));
      button.addEventListener("click", () => rule(entry, { do: "set", position, reason: reason.value }));
      return button;
    });
    const reason = reasonField();
    panel(card, element("p", {}, words.ask_set), reason, element("div", { className: "choices" }, ...buttons));
  },

  async this(entry, card) {
    const found = await choicesFor(entry);
    if (!found) return;
    const check = (text, position = "") => checkTurn(entry, card, found, text, position);
    const choice = (text) => {
      const button = element("button", { type: "button", className: "turn-text" }, text);
      button.addEventListener("click", () => check(text));
      return button;
    };
    const parts = [element("p", { className: "asked-turn" }, fill(words.ask_this, { n: found.n, player: found.name }))];
    if (found.fit.length) parts.push(element("h3", {}, words.ask_fit), element("div", { className: "turns" }, ...found.fit.map(choice)));
    if (entry.verdict !== "turn")
      for (const { position, player } of found.stood.filter((one) => one.player !== found.player)) {
        const button = element("button", { type: "button", className: "played" }, fill(words.ask_played, { player: nameOf(player) }));
        button.addEventListener("click", () => check(found.as_played, position));
        parts.push(button);
      }
    if (found.all.length) {
      const every = element("details", {}, element("summary", {}, fill(words.ask_all, { count: found.all.length })));
      every.append(element("div", { className: "turns" }, ...found.all.map(choice)));
      parts.push(every);
    }
    const field = element("input", { type: "text", maxLength: 2000, placeholder: words.ask_text, "aria-label": words.ask_text, autocomplete: "off", spellcheck: false });
    const form = element("form", { className: "typed" }, field, element("button", { type: "submit" }, words.ask_check));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (field.value.trim()) check(field.value.trim());
    });
    panel(card, ...parts, form);
  },
};

// What it would mean, before it is done.
async function checkTurn(entry, card, found, text, position) {
  const query = new URLSearchParams({ lang, game: told.number, n: found.n, text, position });
  const answer = await send(`/api/operator/timeline/effect?${query}`, null, "GET");
  if (!answer.ok || answer.told.error) {
    say(answer.told.error || answer.error || words.lost, "bad");
    return;
  }
  const made = answer.told;
  const lines = [fill(words.told_turn, { n: made.n, player: nameOf(made.player), text: made.text }), ...made.told];
  if (told.playing) lines.push(words.told_led);
  say("");
  confirmed(card, lines, { do: "this", n: made.n, text, position, falls: made.falls }, entry);
}

// ---- the table's news ----

$("game").addEventListener("change", () => {
  const query = new URLSearchParams(location.search);
  query.set("game", $("game").value);
  location.search = query;
});

let news = "";
new Stream(`/events?lang=${lang}`, words, {
  state(state) {
    if (state.build !== build) location.reload();
    const key = JSON.stringify([state.phase, state.game_no, state.turns, state.message.code, state.message.lead, state.board.pieces]);
    if (key !== news && !open) lookSoon();
    if (!open) news = key;
  },
});
look();
