// The operator's page: what the referee says, what can be done now, and one order for each tap.
import { Board, tokenUrl } from "./board.js";
import { send } from "./gate.js";
import { Laying } from "./operator_position.js";
import { $, Stream, put } from "./stream.js";

const { lang, build } = document.body.dataset;
const words = JSON.parse(document.body.dataset.words);
const ANSWER_MS = 8000;
const DESK_MS = 250; // at most so often the desk is asked for again
const OFTEN_MS = 5000; // checks change without news from the game

const board = new Board($("board"), false);
const laying = new Laying(words, lang);
let desk = null;
let state = null;
let geometryFor = null;
let deskTimer = 0;
let answerTimer = 0;
let doing = null; // what is done if it is sure

const fill = (text, facts) => Object.entries(facts).reduce((told, [name, fact]) => told.replace(`{${name}}`, fact), text);

// ---- what the referee says ----

async function show(told) {
  if (told.build !== build) {
    location.reload();
    return;
  }
  state = told;
  const { message } = told;
  document.body.dataset.tone = message.tone;
  document.body.dataset.code = message.code;
  put($("headline"), message.headline);
  put($("sub"), message.sub);
  put($("lead"), message.lead);
  const kind = told.players.find((one) => one.id === message.player)?.kind;
  $("emblem").hidden = !kind;
  if (kind) $("emblem").src = tokenUrl(kind);
  items($("steps"), message.steps.map((step) => step.text));
  items($("more"), message.more);
  askDesk();
  await draw(told);
}

function items(list, texts) {
  list.hidden = texts.length === 0;
  list.replaceChildren(...texts.map((text) => element("li", {}, text)));
}

function element(name, facts, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(facts)) {
    if (key === "onclick") made.addEventListener("click", value);
    else if (value !== null && value !== false) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

async function draw(told) {
  board.state(told);
  if (board.geo === null) geometryFor = null;
  if (told.set !== null && told.set !== geometryFor) {
    const answer = await fetch("/api/set").catch(() => null);
    const geometry = answer?.ok ? await answer.json() : null;
    if (geometry?.name !== state.set) return;
    geometryFor = geometry.name;
    board.geometry(geometry);
    laying.geometry(geometry);
  }
}

// ---- the desk: what can be done now ----

function askDesk() {
  if (!deskTimer) deskTimer = setTimeout(readDesk, desk ? DESK_MS : 0);
}

async function readDesk() {
  const answer = await send(`/api/operator/table?lang=${lang}`, null, "GET");
  deskTimer = 0;
  if (!answer.ok) return;
  desk = answer.told;
  showDesk();
}
setInterval(askDesk, OFTEN_MS);

function showDesk() {
  $("deeds").inert = $("cards").inert = false; // nothing can be done before it is known what can
  $("pause").hidden = desk.paused;
  $("resume").hidden = !desk.paused;
  for (const [id, name] of Object.entries({ pause: "pause", back: "guide", accept: "accept_as_played", "take-back": "take_back", draw: "draw", new: null }))
    $(id).dataset.idle = name && desk.not[name] ? "1" : "";
  for (const button of [...document.querySelectorAll(".light"), $("identify")]) button.dataset.idle = desk.not.lights ? "1" : "";
  once($("choices"), desk.question, () => desk.question.map((one) => element("button", { type: "button", onclick: () => order("choose", { position: one.position }) }, one.text)));
  $("asking").hidden = desk.question.length === 0;
  showChecks();
  once($("saying"), [desk.players, desk.offer, desk.not.resign], () => desk.players.map(saying));
  once($("names"), desk.players, names);
  put($("next"), desk.next);
  put($("mode"), desk.mode);
  $("rules-of").hidden = desk.rules.length === 0;
  once($("rules"), desk.rules, () => desk.rules.map(rule));
  once($("which-light"), desk.lights, () => desk.lights.map((one) => element("option", { value: one.show }, one.text)));
  laying.desk(desk);
}

// What is the same as before stays untouched: nobody's finger or half typed word is lost.
function once(place, facts, made) {
  const key = JSON.stringify(facts);
  if (place.dataset.key === key || place.querySelector("input:focus, select:focus")) return;
  place.dataset.key = key;
  place.replaceChildren(...made());
}

function showChecks() {
  const levels = ["ok", "warning", "problem"];
  const worst = desk.checks.reduce((most, one) => (levels.indexOf(one.level) > levels.indexOf(most.level) ? one : most), desk.checks[0]);
  put($("level"), worst.level === "ok" ? words.level_ok : `${worst.name}: ${worst.told}`);
  $("level").dataset.level = worst.level;
  once($("checks"), desk.checks, () =>
    desk.checks.map((one) => {
      const told = element("span", { class: "said" }, one.said, ...(one.hint ? [" ", element("em", {}, one.hint)] : []));
      return element("li", { "data-level": one.level }, element("strong", {}, one.name), element("span", { class: "level", "data-level": one.level }, one.told), told);
    }),
  );
}

function saying(one) {
  const idle = desk.not.resign ? "1" : "";
  const button = (text, act) => element("button", { type: "button", "data-idle": idle, onclick: act }, text);
  const say = (name) => () => order(name, { player: one.id });
  const draw = desk.offer === null ? [button(words.act_offer, say("offer_draw"))]
    : desk.offer === one.id ? [button(words.act_withdraw, say("decline_draw"))]
    : [button(words.act_accept_draw, say("accept_draw")), button(words.act_decline, say("decline_draw"))];
  const resign = button(words.act_resign, () => sure("resign", fill(words.sure_resign, { player: one.name }), { player: one.id }));
  return element("div", { class: "side" }, element("strong", {}, one.name), ...draw, resign);
}

function names() {
  const fields = desk.players.map((one) =>
    element("label", { class: "line" }, one.name, element("input", { type: "text", name: one.id, value: one.called, maxlength: 60, autocomplete: "off" })));
  return [...fields, element("button", { type: "submit" }, words.act_names)];
}

function rule(one) {
  const options = one.choices.map(({ value, text }) =>
    element("option", { value, selected: value === one.value ? "" : null }, value === one.usual ? `${text} (${words.option_usual})` : text));
  return element("label", { class: "line" }, element("span", {}, one.means), element("select", { name: one.name }, ...options));
}

// ---- orders ----

async function order(name, details = {}) {
  ask(null);
  const answer = await send(`/api/operator/order?lang=${lang}`, { name, arguments: details, reason: $("reason").value });
  if (answer.ok) $("reason").value = "";
  tell(answer.ok ? answer.told.said : answer.error || words.lost, answer.ok);
  askDesk();
  return answer.ok;
}

function tell(sentence, good) {
  put($("answer"), sentence);
  $("answer").dataset.state = good ? "ok" : "bad";
  clearTimeout(answerTimer);
  answerTimer = setTimeout(() => put($("answer"), ""), ANSWER_MS);
}

// What can't be undone is asked about first; what can't be done now says why at once.
async function sure(name, about, details = {}) {
  if (desk?.not[name]) await readDesk(); // it may have become possible a moment ago
  if (desk?.not[name]) tell(desk.not[name], false);
  else ask({ name, details, sentence: about, ...(typeof about === "function" ? about() : {}) });
}

function ask(about) {
  doing = about;
  $("sure").hidden = !about;
  $("deeds").hidden = Boolean(about);
  if (!about) return;
  put($("answer"), "");
  put($("sure-words"), about.sentence);
  $("sure-no").focus(); // never where a second tap would go through
}
$("sure-no").addEventListener("click", () => ask(null));
$("sure-yes").addEventListener("click", () => doing && order(doing.name, doing.details));

for (const [id, name] of Object.entries({ pause: "pause", resume: "resume", back: "guide" })) $(id).addEventListener("click", () => order(name));
$("accept").addEventListener("click", () => sure("accept_as_played", words.sure_accept));
$("take-back").addEventListener("click", () => sure("take_back", () => ({ sentence: desk.last.ask, details: { n: String(desk.last.n) } })));
$("draw").addEventListener("click", () => sure("draw", words.sure_draw));
$("new").addEventListener("click", () => {
  const chosen = [...document.querySelectorAll("#rules select")].map((one) => [`option.${one.name}`, one.value]);
  const changed = desk.rules.some((one) => chosen.some(([name, value]) => name === `option.${one.name}` && value !== one.value));
  const details = changed ? Object.fromEntries(chosen) : {};
  if (!changed && desk.not.new_game) tell(desk.not.new_game, false);
  else ask({ name: "new_game", details, sentence: words.sure_new });
});
$("names").addEventListener("submit", (event) => {
  event.preventDefault();
  document.activeElement?.blur();
  order("name_players", Object.fromEntries([...new FormData($("names"))]));
});
for (const button of document.querySelectorAll(".light")) button.addEventListener("click", () => order("lights", { show: button.dataset.show }));
$("identify").addEventListener("click", () => order("lights", { show: $("which-light").value }));
$("set-there").addEventListener("click", () => sure("set_position", words.sure_set, { position: laying.text() }));
$("lead-there").addEventListener("click", () => ask({ name: "guide", details: { position: laying.text() }, sentence: words.sure_lead }));

$("log-out").addEventListener("click", async () => {
  await send(`/api/operator/logout?lang=${lang}`, {});
  location.reload();
});

new Stream(`/events?lang=${lang}`, words, { state: show, lights: (told) => board.lights(told.lights) });
