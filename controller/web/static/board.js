// The board as SVG, in sheet millimetres: artwork, what the lights really show, pieces, and what is to be done as arrows.
import { Ghosts } from "./ghost.js";

const NS = "http://www.w3.org/2000/svg";
const DEMO_GHOST = 0.55;

export function make(name, attributes = {}, ...children) {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export const tokenUrl = (kind) => `/token.svg?kind=${encodeURIComponent(kind)}`;

// A light as a glow: its hue at full strength, and how strongly it shines. Colours come as a screen shows them.
function glow(hex) {
  const rgb = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const peak = Math.max(...rgb);
  if (!(peak > 0)) return null;
  return { colour: `rgb(${rgb.map((value) => Math.round((255 * value) / peak)).join(" ")})`, strength: 0.25 + 0.75 * (peak / 255) };
}

export class Board {
  constructor(svg, demo) {
    this.svg = svg;
    this.demo = demo;
    this.layers = {};
    for (const name of ["art", "under", "rings", "pieces", "loose", "labels", "arrows", "ghosts", "bars"]) {
      this.layers[name] = make("g", { class: `layer-${name}` });
      svg.append(this.layers[name]);
    }
    this.ghosts = new Ghosts(this.layers.ghosts, (kind, x, y) => make("g", {}, ...this.face(kind, x, y, this.geo.token.size)));
    this.geo = null;
    this.busy = false; // a hand holds a piece
    this.latest = {};
    this.onWorld = () => {};
    this.names = {};
  }

  geometry(geo) {
    this.geo = geo;
    const box = this.demo ? geo.table : geo.crop;
    this.svg.setAttribute("viewBox", box.join(" "));
    this.svg.dataset.ratio = box[2] > box[3] * 1.1 ? "wide" : box[3] > box[2] * 1.1 ? "tall" : "square";
    const [width, height] = geo.sheet;
    const shape = this.demo ? [0, 0, width, height] : geo.crop;
    const sheet = make("rect", { class: "sheet", x: shape[0], y: shape[1], width: shape[2], height: shape[3], rx: 4 });
    const image = make("image", { href: geo.art ?? `/set.svg?${geo.name}`, x: 0, y: 0, width, height, class: "art" });
    image.addEventListener("error", () => (this.geo = null)); // the server went away: asked for again
    if (!this.demo) {
      const xs = Object.values(geo.sites).flatMap((site) => site.polygon.map(([x]) => x));
      const ys = Object.values(geo.sites).flatMap((site) => site.polygon.map(([, y]) => y));
      const [left, top] = [Math.min(...xs) - 0.4, Math.min(...ys) - 0.4];
      const [wide, high] = [Math.max(...xs) + 0.4 - left, Math.max(...ys) + 0.4 - top];
      const clip = make("clipPath", { id: "sites-only" }, make("rect", { x: left, y: top, width: wide, height: high }));
      image.setAttribute("clip-path", "url(#sites-only)");
      this.layers.art.replaceChildren(clip, sheet, image, ...this.cards());
    } else {
      const [left, top, wide, high] = geo.table;
      const round = make("rect", { x: left, y: top, width: wide, height: high, rx: 7 });
      const surface = round.cloneNode();
      surface.setAttribute("class", "tabletop");
      const clip = make("clipPath", { id: "tabletop" }, round);
      const inside = make("g", { "clip-path": "url(#tabletop)" }, surface, sheet, image, ...this.cards());
      this.layers.art.replaceChildren(clip, inside);
    }
    this.layers.labels.replaceChildren(...this.labels());
    for (const [name, draw] of [["state", "state"], ["lights", "lights"], ["world", "world"]])
      if (this.latest[name]) this[draw](this.latest[name]);
  }

  // Loose platforms (Transfer's), in the middle of their rails.
  cards() {
    return Object.entries(this.geo.platforms ?? {}).map(([rail, [x, y, width, height]]) =>
      make("rect", { x, y, width, height, rx: 1.5, class: "card", "data-rail": rail }),
    );
  }

  // Names of sites: beside a board of squares, where no piece can cover them, elsewhere in their corners.
  labels() {
    return (this.geo.labels ?? []).map(([name, x, y, where]) => make("text", { x, y, class: `label ${where}` }, name));
  }

  // ---- what the referee says ----

  state(state) {
    this.latest.state = state;
    this.playerNames = Object.fromEntries(state.players.map((one) => [one.id, one.name]));
    if (!this.geo) return;
    const { board, message } = state;
    for (const piece of board.pieces) this.names[piece.kind] = piece.name;
    const under = [];
    for (const move of board.last)
      for (const [site, which] of [[move.from, "from"], [move.to, "to"]])
        if (site) under.push(this.area(site, `last ${which}`));
    for (const site of board.changed) under.push(this.area(site, "changed"));
    for (const site of board.hidden) under.push(this.area(site, "hidden"));
    for (const site of board.fault) under.push(this.area(site, "fault"));
    for (const site of board.targets) under.push(this.target(site));
    this.layers.under.replaceChildren(...under);
    this.layers.pieces.replaceChildren(...this.pieces(board.pieces));
    const kind = message.code === "illegal" ? "back" : "place";
    const arrows = message.steps.map((step, index) => this.arrow(step, kind, index));
    if (board.owed.length <= 3) for (const step of board.owed) arrows.push(this.arrow(step, "owed", 0));
    this.layers.arrows.replaceChildren(...arrows.filter(Boolean));
    const ways = message.steps.map((step, index) => this.way(step, index));
    if (board.owed.length === 1) ways.push(this.way(board.owed[0], 0)); // several are a choice: nobody's to show
    this.ghosts.show(ways.filter(Boolean), message.steps.length ? kind : "owed");
  }

  pieces(list) {
    const bySite = new Map();
    for (const piece of list) {
      const key = `${piece.site} ${piece.state === "seen" || piece.state === "believed"}`;
      bySite.set(key, [...(bySite.get(key) ?? []), piece]);
    }
    const drawn = [];
    for (const stack of bySite.values())
      stack.forEach((piece, index) => {
        const [aside, down] = this.spot(piece.site, index, stack.length);
        if (this.demo && (piece.state === "seen" || piece.state === "believed")) {
          if (!this.lies(piece)) drawn.push(this.token(piece, 0, 0, DEMO_GHOST, "thought"));
          return;
        }
        drawn.push(this.token(piece, aside, down, 1, piece.state));
      });
    return drawn;
  }

  // Where the pieces of a stack stand: side by side towards the corners of a triangle, overlapping elsewhere.
  spot(site, index, count) {
    const { centre: [x, y], polygon } = this.geo.sites[site] ?? { centre: [0, 0], polygon: [] };
    if (count > 1 && polygon.length === 3) {
      const [px, py] = polygon[index % 3];
      return [(px - x) * 0.36, (py - y) * 0.36];
    }
    const aside = (index - (count - 1) / 2) * this.geo.token.size * 0.45;
    return [aside, -aside * 0.4];
  }

  // Whether the pretend table really has this piece there (in the demo pieces are drawn where they lie).
  lies(piece) {
    const [x, y] = this.geo.sites[piece.site]?.centre ?? [0, 0];
    const near = this.geo.token.size * (this.geo.sites[piece.site]?.polygon.length === 3 ? 1.2 : 1);
    return (this.latest.world?.tokens ?? []).some(
      (token) => token.kind === piece.kind && Math.hypot(token.x_mm - x, token.y_mm - y) < near,
    );
  }

  token(piece, dx, dy, scale, className) {
    const site = this.geo.sites[piece.site];
    if (!site) return make("g");
    const size = this.geo.token.size * scale;
    const [x, y] = [site.centre[0] + dx, site.centre[1] + dy];
    const group = make("g", { class: `piece ${className}`, "data-site": piece.site, "data-kind": piece.kind });
    group.append(make("title", {}, `${piece.name}, ${piece.site}`), ...this.face(piece.kind, x, y, size));
    return group;
  }

  // A piece as it looks, its middle at x, y.
  face(kind, x, y, size) {
    return [
      this.shape({ class: "shadow" }, x, y + 1.2, size),
      make("image", { href: this.geo.faces ? this.geo.faces + encodeURIComponent(kind) : tokenUrl(kind), x: x - size / 2, y: y - size / 2, width: size, height: size }),
      this.shape({ class: "edge" }, x, y, size),
    ];
  }

  shape(attributes, x, y, size) {
    return this.geo.token.shape === "disc"
      ? make("circle", { ...attributes, cx: x, cy: y, r: size / 2 })
      : make("rect", { ...attributes, x: x - size / 2, y: y - size / 2, width: size, height: size, rx: 1 });
  }

  area(site, className) {
    const inset = className.startsWith("last") ? 0.93 : 1;
    const { centre: [x, y], polygon } = this.geo.sites[site] ?? { centre: [0, 0], polygon: [] };
    const points = polygon.map(([px, py]) => `${x + (px - x) * inset},${y + (py - y) * inset}`).join(" ");
    return make("polygon", { points, class: `area ${className}`, "data-site": site });
  }

  target(site) {
    const [x, y] = this.geo.sites[site]?.centre ?? [0, 0];
    return make("circle", { cx: x, cy: y, r: this.geo.token.size * 0.5, class: "target", "data-site": site });
  }

  // ---- arrows ----

  // Where a step begins and ends, in the sheet's millimetres; beside the board where it names no site.
  ends(step, index) {
    const centre = (site) => (site ? this.geo.sites[site]?.centre : null);
    const [from, to] = [centre(step.from), centre(step.to)];
    if (!from && !to) return null;
    const outside = ([x, y]) => {
      const [left, top, width] = this.geo.crop;
      const side = x < left + width / 2 ? left + 9 : left + width - 9;
      return [side, y - 4 + (index % 3) * 4];
    };
    return [from ?? outside(to), to ?? outside(from)];
  }

  // A step as the ghost's journey: a slight bow, as a hand carries.
  way(step, index) {
    const ends = this.ends(step, index);
    if (!ends) return null;
    const [[x1, y1], [x2, y2]] = ends;
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const bow = (2 * Math.min(12, length * 0.1)) / length;
    const bend = [(x1 + x2) / 2 - (y2 - y1) * bow, (y1 + y2) / 2 + (x2 - x1) * bow];
    return { piece: step.piece, from: ends[0], bend, to: ends[1] };
  }

  arrow(step, className, index) {
    const ends = this.ends(step, index);
    if (!ends) return null;
    const [from, to] = ends;
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const length = Math.hypot(dx, dy);
    const [ux, uy] = [dx / length, dy / length];
    const size = this.geo.token.size;
    const start = step.from ? Math.min(size * 0.3, length * 0.3) : 0;
    const head = size * 0.36;
    const end = length - (step.to ? size * 0.08 : 0);
    const bend = Math.min(12, length * 0.1);
    const at = (along, across) => [from[0] + ux * along - uy * across, from[1] + uy * along + ux * across];
    const shaftEnd = end - head * 0.8;
    const middle = at((start + shaftEnd) / 2, bend);
    const [a, c] = [at(start, 0), at(shaftEnd, bend * 0.18)];
    const shaft = `M${a} Q${middle} ${c}`;
    // The head points along the end of the curve.
    const tip = at(end, 0);
    const [tx, ty] = [tip[0] - c[0], tip[1] - c[1]];
    const tl = Math.hypot(tx, ty) || 1;
    const [px, py] = [(-ty / tl) * head * 0.62, (tx / tl) * head * 0.62];
    const base = [tip[0] - (tx / tl) * head, tip[1] - (ty / tl) * head];
    const point = `M${tip} L${[base[0] + px, base[1] + py]} L${[base[0] - px, base[1] - py]} Z`;
    const data = { "data-from": step.from ?? "", "data-to": step.to ?? "" };
    return make("g", { class: `arrow ${className}`, ...data },
      make("path", { d: shaft, class: "casing" }), make("path", { d: point, class: "casing" }),
      make("path", { d: shaft, class: "shaft" }), make("path", { d: point, class: "head" }),
    );
  }

  // ---- lights, as the device shows them ----

  lights(lights) {
    this.latest.lights = lights;
    if (!this.geo) return;
    const rings = [];
    for (const [site, hex] of Object.entries(lights.sites ?? {})) {
      const lit = glow(hex);
      const centre = this.geo.sites[site]?.centre;
      if (lit && centre) rings.push(this.lamp(centre, this.geo.token.size / 2 + 2.6, lit, site));
    }
    this.layers.rings.replaceChildren(...rings);
    this.layers.bars.replaceChildren(
      ...Object.entries(this.geo.bars).map(([player, line]) => this.bar(player, line, lights.bars?.[player])),
    );
  }

  lamp([x, y], radius, lit, site) {
    const circle = (className) => make("circle", { cx: x, cy: y, r: radius, class: className, stroke: lit.colour });
    return make("g", { class: "lamp", "data-site": site, opacity: lit.strength }, circle("halo"), circle("rim"), circle("core"));
  }

  bar(player, line, colours) {
    const [[x1, y1], [x2, y2]] = [line.from, line.to];
    const leds = colours?.length ? colours : Array(9).fill("#000000");
    const group = make("g", { class: "bar", "data-player": player }, make("line", { x1, y1, x2, y2, class: "housing" }));
    leds.forEach((hex, index) => {
      const along = leds.length > 1 ? index / (leds.length - 1) : 0.5;
      const [cx, cy] = [x1 + (x2 - x1) * along, y1 + (y2 - y1) * along];
      const lit = glow(hex);
      if (!lit) group.append(make("circle", { cx, cy, r: 1.5, class: "led" }));
      else
        group.append(
          make("circle", { cx, cy, r: 5.2, fill: lit.colour, opacity: 0.3 * lit.strength, class: "led-halo" }),
          make("circle", { cx, cy, r: 2.3, fill: lit.colour, opacity: lit.strength, class: "led lit" }),
        );
    });
    if (Math.abs(y1 - y2) < 1)
      group.append(make("text", { x: Math.min(x1, x2) - 8, y: y1 + 2.8, class: "seat" }, this.playerNames?.[player] ?? player));
    return group;
  }

  // ---- the pretend table ----

  world(world) {
    this.latest.world = world;
    if (this.geo) this.onWorld(world);
    if (this.geo && this.latest.state) this.layers.pieces.replaceChildren(...this.pieces(this.latest.state.board.pieces));
  }

  // A pointer's place in sheet millimetres.
  place(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [point.x, point.y];
  }
}
