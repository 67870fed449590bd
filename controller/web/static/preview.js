// The camera's picture of the board, laid flat, with what the eyes make of each site over it. Asked for twice a second.
import { make } from "./diagram.js";
import { send } from "./gate.js";
import { $, Stream, put } from "./stream.js";

const { lang, build } = document.body.dataset;
const words = JSON.parse(document.body.dataset.words);
const EVERY_MS = 500;

let number = 0; // of the picture shown
let running = false;
let asking = false;

const fill = (text, facts) => text.replace(/\{(\w+)\}/g, (_, key) => facts[key] ?? "");
const points = (polygon) => polygon.map((point) => point.join(",")).join(" ");
const percent = (share) => `${Math.floor(100 * share)} %`;

function say(text, state = "ok") {
  put($("answer"), text);
  $("answer").dataset.state = state;
}

function show(told) {
  running = told.left_s > 0;
  $("start").hidden = running;
  $("start").disabled = !told.may;
  $("stop").hidden = !running;
  const time = `${Math.floor(told.left_s / 60)}:${String(told.left_s % 60).padStart(2, "0")}`;
  put($("left"), running ? fill(words.preview_left, { time }) : words.preview_off);
  say(told.why, running ? "ok" : "bad");
  $("picture").hidden = !running || !told.set;
  $("belief").hidden = !running || !told.belief;
  if (!running) {
    forget();
    return;
  }
  if (told.set) draw(told);
  if (told.belief) list(told.belief);
}

function forget() {
  number = 0;
  $("sheet").replaceChildren();
  $("sites").replaceChildren();
}

const same = (site) => !site.hidden && site.seen.map((one) => one.kind).sort().join() === [...site.believed].sort().join();

function draw(told) {
  const svg = $("sheet");
  const [width, height] = told.set.sheet;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  if (!svg.firstChild) svg.append(make("g", { class: "shot" }), make("g", { class: "over" }));
  const [under, over] = svg.children;
  if (told.number === 0) under.replaceChildren();
  else if (told.number !== number) {
    const image = make("image", { href: `/api/operator/preview.jpg?n=${told.number}`, x: 0, y: 0, width, height });
    image.addEventListener("load", () => {
      while (under.firstChild && under.firstChild !== image) under.firstChild.remove();
    });
    image.addEventListener("error", () => image.remove());
    under.append(image);
  }
  number = told.number;
  const marks = [];
  for (const site of told.belief?.sites ?? []) {
    const place = told.set.sites[site.site];
    if (!place) continue;
    const state = site.hidden ? "unseen" : same(site) ? "fits" : "differs";
    if (state === "fits" && !site.seen.length) continue;
    marks.push(make("polygon", { class: `belief-of ${state}${site.uncertain ? " unsure" : ""}`, points: points(place.polygon) }));
    const share = Math.min(...site.seen.map((one) => one.share));
    if (site.seen.length) {
      const [x, y] = place.centre;
      marks.push(make("text", { class: "sure", x, y: y + told.set.size * 0.62 }, percent(share)));
    }
  }
  over.replaceChildren(...marks);
}

function list(belief) {
  const cell = (text, name = "") => {
    const made = document.createElement("td");
    made.className = name;
    made.append(text);
    return made;
  };
  const rows = belief.sites.map((site) => {
    const row = document.createElement("tr");
    row.className = site.hidden ? "unseen" : same(site) ? "fits" : "differs";
    const seen = site.seen.map((one) => `${one.name} ${percent(one.share)}`).join(", ");
    const noted = [site.hidden ? words.preview_hidden : "", site.uncertain ? words.preview_unsure : ""].filter(Boolean).join(", ");
    row.append(cell(site.site, "site"), cell([seen, noted].filter(Boolean).join(" · ") || "–"), cell(site.believed_names.join(", ") || "–"));
    return row;
  });
  $("sites").replaceChildren(...rows);
  put($("beside"), belief.beside.length ? fill(words.preview_beside, { pieces: belief.beside.join(", ") }) : "");
}

async function look() {
  if (asking) return;
  asking = true;
  const answer = await send(`/api/operator/preview?lang=${lang}`, null, "GET");
  asking = false;
  if (answer.ok) show(answer.told);
  else if (running) show({ left_s: 0, may: false, why: words.lost, set: null, belief: null, number: 0 });
}

async function turn(on) {
  const answer = await send(`/api/operator/preview?lang=${lang}`, { on });
  if (answer.ok) show(answer.told);
  else say(answer.error || words.lost, "bad");
}

$("start").addEventListener("click", () => turn(true));
$("stop").addEventListener("click", () => turn(false));
addEventListener("pagehide", () => running && turn(false));
setInterval(() => running && !document.hidden && look(), EVERY_MS);

let phase = "";
new Stream(`/events?lang=${lang}`, words, {
  state(state) {
    if (state.build !== build) location.reload();
    const now = state.phase + state.message.code;
    if (now !== phase && !running) look(); // whether it may be looked at has changed
    phase = now;
  },
});
look();
