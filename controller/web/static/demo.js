// Hands on the pretend table: pointer down lifts, moving carries, up lets go. Only the world changes; the camera sees the rest.
import { make, tokenUrl } from "./board.js";

const CARRY_MS = 66; // about fifteen messages a second

export class Hands {
  constructor(board, post, words) {
    this.board = board;
    this.post = post;
    this.words = words;
    this.pieces = new Map(); // token id -> {group, x, y, kind}
    this.held = new Map(); // token id -> {pointer, dx, dy, sentAt, timer}
    this.sliding = null; // the platform under a finger: {rail, dx, sentAt}
    this.tail = Promise.resolve(); // requests go one after the other: a drop must not overtake a move
    board.onWorld = (world) => this.draw(world);
    board.svg.classList.add("playable");
    board.svg.addEventListener("pointerdown", (event) => this.grasp(event));
    board.svg.addEventListener("pointermove", (event) => this.slide(event));
    for (const end of ["pointerup", "pointercancel"]) board.svg.addEventListener(end, (event) => this.slide(event, true));
    document.getElementById("reset").addEventListener("click", () => this.send({ op: "reset" }));
  }

  send(body) {
    this.tail = this.tail.then(() => this.post("/api/world", body));
    return this.tail;
  }

  refused(reason) {
    const line = document.getElementById("refused");
    line.textContent = this.words.demo_failed.replace("{reason}", reason);
    line.hidden = false;
    clearTimeout(this.refusedTimer);
    this.refusedTimer = setTimeout(() => (line.hidden = true), 6000);
  }

  // Platforms slide along their rails, with what lies on them; the world keeps them there and moves the pieces.
  grasp(event) {
    const card = event.target.closest?.(".card[data-rail]");
    if (!card || event.button > 0 || this.sliding) return;
    event.preventDefault();
    this.board.svg.setPointerCapture(event.pointerId);
    const [x, , width] = this.board.geo.platforms[card.dataset.rail];
    const at = this.world?.platforms?.[card.dataset.rail] ?? x + width / 2;
    this.sliding = { rail: card.dataset.rail, pointer: event.pointerId, dx: this.board.place(event)[0] - at, sentAt: 0 };
  }

  slide(event, over = false) {
    const now = this.sliding;
    if (!now || event.pointerId !== now.pointer) return;
    const x_mm = this.board.place(event)[0] - now.dx;
    if (over || performance.now() - now.sentAt > CARRY_MS) {
      now.sentAt = performance.now();
      this.send({ op: "slide", rail: now.rail, x_mm });
    }
    if (over) this.sliding = null;
  }

  cards(world) {
    for (const [rail, at] of Object.entries(world.platforms ?? {})) {
      const [x, , width] = this.board.geo.platforms[rail];
      const card = this.board.svg.querySelector(`.card[data-rail="${rail}"]`);
      card?.setAttribute("transform", `translate(${(at - x - width / 2).toFixed(2)} 0)`);
    }
  }

  draw(world) {
    this.world = world;
    this.cards(world);
    const layer = this.board.layers.loose;
    const there = new Set(world.tokens.map((token) => token.id));
    for (const [id, piece] of this.pieces)
      if (!there.has(id)) {
        piece.group.remove();
        this.pieces.delete(id);
        this.held.delete(id);
      }
    for (const token of world.tokens) {
      const known = this.pieces.get(token.id) ?? this.create(token, layer);
      if (this.held.has(token.id)) continue; // our own hand knows better than the echo
      this.settle(known, token);
    }
    this.board.busy = this.held.size > 0;
  }

  create(token, layer) {
    const size = this.board.geo.token.size;
    const half = size / 2;
    const name = this.board.names[token.kind] ?? token.kind;
    const group = make("g", { class: "loose", tabindex: 0, role: "button", "aria-label": name, "data-token": token.id, "data-kind": token.kind });
    const turned = make("g", {}, make("image", { href: tokenUrl(token.kind), x: -half, y: -half, width: size, height: size }));
    group.append(this.board.shape({ class: "shadow" }, 0, 1.6, size), turned, this.board.shape({ class: "edge" }, 0, 0, size));
    const piece = { group, turned, x: token.x_mm, y: token.y_mm, id: token.id };
    group.addEventListener("pointerdown", (event) => this.lift(piece, event));
    group.addEventListener("pointermove", (event) => this.carry(piece, event));
    for (const end of ["pointerup", "pointercancel"]) group.addEventListener(end, () => this.drop(piece));
    group.addEventListener("keydown", (event) => this.key(piece, event));
    group.addEventListener("blur", () => this.drop(piece));
    layer.append(group);
    this.pieces.set(token.id, piece);
    return piece;
  }

  settle(piece, token) {
    piece.turned.setAttribute("transform", `rotate(${token.turn_deg ?? 0})`);
    piece.group.classList.toggle("held", token.held);
    this.put(piece, token.x_mm, token.y_mm);
  }

  put(piece, x, y) {
    [piece.x, piece.y] = [x, y];
    piece.group.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)})`);
  }

  lift(piece, event) {
    if (event.button > 0 || this.held.has(piece.id)) return;
    event.preventDefault();
    piece.group.setPointerCapture(event.pointerId);
    const [x, y] = this.board.place(event);
    this.take(piece, x - piece.x, y - piece.y);
  }

  take(piece, dx, dy) {
    this.held.set(piece.id, { dx, dy, sentAt: 0, timer: 0 });
    this.board.busy = true;
    piece.group.classList.add("held");
    // On top of the others: they move, for a moved element would lose the pointer and the focus.
    while (piece.group.nextSibling) piece.group.before(piece.group.nextSibling);
    this.send({ op: "lift", token: piece.id });
  }

  carry(piece, event) {
    const held = this.held.get(piece.id);
    if (!held || !piece.group.hasPointerCapture(event.pointerId)) return;
    const [x, y] = this.board.place(event);
    this.bring(piece, x - held.dx, y - held.dy);
  }

  bring(piece, x, y) {
    const held = this.held.get(piece.id);
    const [left, top, width, height] = this.board.geo.table;
    const half = this.board.geo.token.size / 2;
    const within = (value, low, size) => Math.min(low + size - half, Math.max(low + half, value));
    this.put(piece, within(x, left, width), within(y, top, height));
    clearTimeout(held.timer);
    const say = () => {
      held.sentAt = performance.now();
      this.send({ op: "move", token: piece.id, x_mm: piece.x, y_mm: piece.y });
    };
    const wait = held.sentAt + CARRY_MS - performance.now();
    if (wait <= 0) say();
    else held.timer = setTimeout(say, wait);
  }

  async drop(piece) {
    const held = this.held.get(piece.id);
    if (!held || held.leaving) return;
    held.leaving = true;
    clearTimeout(held.timer);
    this.send({ op: "move", token: piece.id, x_mm: piece.x, y_mm: piece.y });
    await this.send({ op: "drop", token: piece.id });
    this.held.delete(piece.id);
    this.board.busy = this.held.size > 0;
    piece.group.classList.remove("held");
  }

  // One press of an arrow is one place of the board; with Shift a tenth of it.
  key(piece, event) {
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const held = this.held.has(piece.id);
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (event.repeat) return;
      if (held) this.drop(piece);
      else this.liftByKey(piece);
    } else if (held && arrows[event.key]) {
      event.preventDefault();
      const reach = this.pitch() * (event.shiftKey ? 0.1 : 1);
      const [dx, dy] = arrows[event.key];
      this.bring(piece, piece.x + dx * reach, piece.y + dy * reach);
    } else if (held && event.key === "Escape") this.drop(piece);
  }

  liftByKey(piece) {
    this.take(piece, 0, 0);
    piece.group.focus();
  }

  pitch() {
    const centres = Object.values(this.board.geo.sites).map((site) => site.centre);
    const [x, y] = centres[0];
    return Math.min(...centres.slice(1).map(([ox, oy]) => Math.hypot(ox - x, oy - y)));
  }
}
