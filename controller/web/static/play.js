// The players' page: what the referee says, and a few words back. Nothing here is needed to play.
import { Clock } from "./clock.js";
import { $, Stream, post, put } from "./stream.js";

const { lang, build, token, game, may } = document.body.dataset;
const words = JSON.parse(document.body.dataset.words);
const allowed = new Set(may.split(" "));
const KEPT = `boardref side ${game}`;
const ANSWER_MS = 6000;

const clock = new Clock($("clock"));
let state = null;
let valid = true;
let side = document.body.dataset.player || sessionStorage.getItem(KEPT) || "";
let asked = 0; // how often resigning has been confirmed
let answerTimer = 0;

// ---- what the referee says ----

function show(told) {
  if (told.build !== build || (told.game && told.game !== game)) {
    location.reload();
    return;
  }
  const before = state;
  state = told;
  if (before && (before.game_no !== told.game_no || before.phase !== told.phase)) asked = 0;
  if (!told.players.some((one) => one.id === side)) side = "";
  showMessage(told.message);
  clock.show(told);
  showControls();
}

function showMessage(message) {
  document.body.dataset.tone = message.tone;
  document.body.dataset.code = message.code;
  put($("headline"), message.headline);
  put($("sub"), message.sub);
  put($("lead"), message.lead);
  const kind = state.players.find((one) => one.id === message.player)?.kind;
  $("emblem").hidden = !kind;
  if (kind) $("emblem").src = tokenUrl(kind);
  list($("steps"), message.steps.map((step) => [step.text, step.piece]));
  const offered = words.play_offers.replace("{player}", nameOf(state.offer)); // said where it is answered
  list($("more"), message.more.filter((text) => text !== offered).map((text) => [text]));
}

const tokenUrl = (kind) => `/token.svg?kind=${encodeURIComponent(kind)}`;
const nameOf = (id) => state.players.find((one) => one.id === id)?.name ?? id;

function list(element, items) {
  element.hidden = items.length === 0;
  element.replaceChildren(
    ...items.map(([text, piece]) => {
      const item = document.createElement("li");
      if (piece) {
        const picture = document.createElement("img");
        [picture.src, picture.alt] = [tokenUrl(piece), ""];
        item.append(picture);
      }
      item.append(text);
      return item;
    }),
  );
}

// ---- what may be said now ----

function showControls() {
  $("valid").hidden = !valid;
  $("old").hidden = valid;
  if (!state || !valid) return;
  const { code, answers } = state.message;
  const playing = state.phase === "play" && !["paused", "operator"].includes(code);
  $("back-block").hidden = !(playing && ["rearranging", "setup"].includes(code) && allowed.has("done"));
  $("asked").hidden = !(answers && allowed.has("answer"));
  showSides(playing && ["done", "draw", "resign"].some((control) => allowed.has(control)));
  $("own").hidden = !playing || !side;
  $("done-block").hidden = !allowed.has("done") || answers || ["rearranging", "guide"].includes(code);
  showDraw();
  $("resign-block").hidden = !allowed.has("resign");
  $("resign").hidden = asked > 0;
  $("resign").setAttribute("aria-expanded", String(asked > 0));
  $("sure").hidden = asked === 0;
  const other = state.players.find((one) => one.id !== side);
  put($("sure-words"), asked < 2 ? words.play_resign_1 : words.play_resign_2.replace("{player}", other?.name ?? ""));
  $("operator-block").hidden = !allowed.has("operator");
  $("call").hidden = code === "operator";
  $("dismiss").hidden = code !== "operator";
  $("report-block").hidden = !allowed.has("report");
}

function showSides(wanted) {
  $("sides").hidden = !wanted;
  const key = JSON.stringify(state.players.map((one) => [one.id, one.name, one.kind]));
  if ($("sides").dataset.key !== key) {
    $("sides").dataset.key = key;
    for (const old of $("sides").querySelectorAll("button")) old.remove();
    $("sides").append(...state.players.map(sideButton));
  }
  for (const button of $("sides").querySelectorAll("button"))
    button.setAttribute("aria-pressed", String(button.dataset.side === side));
}

function sideButton(one) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.side = one.id;
  if (one.kind) {
    const picture = document.createElement("img");
    [picture.src, picture.alt] = [tokenUrl(one.kind), ""];
    button.append(picture);
  }
  button.append(one.name);
  button.addEventListener("click", () => {
    side = one.id;
    asked = 0;
    sessionStorage.setItem(KEPT, side);
    showControls();
  });
  return button;
}

function showDraw() {
  const { offer } = state;
  $("draw-block").hidden = !allowed.has("draw");
  $("draw-told").hidden = !offer;
  if (offer) put($("draw-told"), offer === side ? words.play_offered : words.play_offers.replace("{player}", nameOf(offer)));
  $("offer").hidden = Boolean(offer);
  $("accept").hidden = !offer || offer === side;
  $("decline").hidden = !offer;
  put($("decline"), offer === side ? words.play_withdraw : words.play_decline);
}

// ---- words to the referee ----

async function say(button, more = {}) {
  const answer = await post(`/api/press?lang=${lang}`, { player: side || null, button, token, ...more });
  told(answer, words.play_said);
}

function told(answer, said) {
  put($("answer"), answer.ok ? said : answer.error || words.play_lost);
  $("answer").dataset.state = answer.ok ? "ok" : "bad";
  clearTimeout(answerTimer);
  answerTimer = setTimeout(() => put($("answer"), ""), ANSWER_MS);
}

$("report").addEventListener("click", async () => {
  told(await post(`/api/report?lang=${lang}`, { player: side || null, token }), words.play_reported);
});

const WORDS = { yes: "yes", no: "no", back: "guide", done: "done", offer: "offer_draw", accept: "accept_draw", decline: "decline_draw", call: "call_operator", dismiss: "dismiss_operator" };
for (const [id, button] of Object.entries(WORDS)) $(id).addEventListener("click", () => say(button));

function ask(times) {
  asked = times;
  showControls();
  (times ? $("sure-no") : $("resign")).focus(); // never where a second tap would go through
}
$("resign").addEventListener("click", () => ask(1));
$("sure-no").addEventListener("click", () => ask(0));
$("sure-yes").addEventListener("click", () => {
  if (asked < 2) {
    ask(2);
    return;
  }
  asked = 0;
  say("resign", { sure: true });
  showControls();
});

if (matchMedia("(min-width: 900px)").matches) document.querySelector(".rules").open = true;

new Stream(`/events?lang=${lang}&t=${encodeURIComponent(token)}`, words, {
  state: show,
  beat: (data) => clock.beat(data),
  players: (told) => {
    valid = told.valid;
    showControls();
  },
});
