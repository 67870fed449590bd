// The players' clock: big digits for each side. Time goes by between two messages; the table's own time is what counts.
import { put } from "./stream.js";

const TENTHS_BELOW_MS = 20000;

export class Clock {
  // `place`: an element, filled on the first state with a clock; hidden while there is none.
  constructor(place) {
    this.place = place;
    this.told = null;
    this.aheadMs = null; // the table's time less this screen's
    this.shown = {};
    setInterval(() => this.tick(), 100);
  }

  // Each beat carries the table's time; the clock of a screen that hears nothing any more stands still.
  beat(data) {
    if (data.t_s === undefined) return;
    this.aheadMs = data.t_s * 1000 - performance.now();
    this.heardAt = performance.now();
  }

  show(state) {
    const told = state.clock;
    this.place.hidden = !told;
    const same = told && this.told && told.runs === this.told.runs && told.ends_ms === this.told.ends_ms;
    this.told = told;
    if (!told) return;
    if (!same) this.shown = {};
    const key = JSON.stringify(state.players.map((one) => [one.id, one.name]));
    if (this.place.dataset.key !== key) {
      this.place.dataset.key = key;
      this.faces = Object.fromEntries(state.players.map((one) => [one.id, face(one.name)]));
      const why = document.createElement("p");
      why.className = "why";
      this.place.replaceChildren(...state.players.map((one) => this.faces[one.id].all), why);
    }
    put(this.place.lastElementChild, told.why);
    this.tick();
  }

  tick() {
    if (!this.told || !this.faces) return;
    for (const [id, one] of Object.entries(this.faces)) {
      const fallen = this.told.fallen.includes(id);
      const left = this.leftMs(id);
      put(one.digits, digits(left, id === this.told.runs));
      one.all.dataset.long = one.digits.textContent.length > 5 ? "1" : "";
      one.all.dataset.runs = id === this.told.runs ? "1" : "";
      one.all.dataset.fallen = fallen || left <= 0 ? "1" : "";
      put(one.flag, fallen || left <= 0 ? this.told.flag : "");
    }
  }

  leftMs(id) {
    if (id !== this.told.runs) return this.told.left_ms[id];
    const now = Math.min(performance.now(), (this.heardAt ?? 0) + 3000) + (this.aheadMs ?? 0);
    const left = this.told.ends_ms - now;
    this.shown[id] = Math.min(left, this.shown[id] ?? left); // messages come late now and then: never back
    return this.shown[id];
  }
}

function face(name) {
  const all = document.createElement("div");
  const [who, digitsOf, flag] = ["span", "b", "span"].map((tag) => document.createElement(tag));
  all.className = "face";
  who.className = "who";
  who.textContent = name;
  digitsOf.setAttribute("role", "timer");
  flag.className = "flag";
  flag.setAttribute("role", "status");
  all.append(who, digitsOf, flag);
  return { all, digits: digitsOf, flag };
}

// 1:02:03, 12:34, 0:09.8 while it runs; what is over time counts on below zero.
export function digits(ms, runs) {
  const sign = ms <= -1000 ? "−" : "";
  const tenths = runs && ms < TENTHS_BELOW_MS && ms > 0;
  const all = ms > 0 && !tenths ? Math.ceil(ms / 1000) : Math.floor(Math.abs(ms) / 1000);
  const [h, m, s] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  const two = (n) => String(n).padStart(2, "0");
  const text = h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
  return sign + text + (tenths ? `.${Math.floor(ms / 100) % 10}` : "");
}
