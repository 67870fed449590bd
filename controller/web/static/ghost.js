// The ghost of a piece travels from where it stands to where it belongs, calmly, again and again: what to do, without words.
const TRAVEL_MS = 2600; // lifted, carried, set down, a moment's rest
const PAUSE_MS = 700;
const MANY = 6; // of more pieces than that, the first ones: who follows them sees the next

const calm = matchMedia("(prefers-reduced-motion: reduce)");
export const still = () => calm.matches || document.body.dataset.motion === "less";

export class Ghosts {
  // `draw(kind, x, y)` makes a piece as SVG with its middle there.
  constructor(layer, draw) {
    this.layer = layer;
    this.draw = draw;
    this.key = "";
    this.ways = [];
    calm.addEventListener("change", () => this.show(this.ways, this.layer.dataset.kind, true));
  }

  // `ways`: [{piece, from: [x, y], bend: [x, y], to: [x, y]}]. A picture that says the same again doesn't begin anew.
  show(ways, kind, anew = false) {
    const key = JSON.stringify([ways, kind]);
    if (key === this.key && !anew) return;
    this.key = key;
    this.ways = ways;
    this.layer.dataset.kind = kind;
    this.layer.replaceChildren();
    if (still()) return;
    const shown = ways.slice(0, MANY);
    const round = shown.length * TRAVEL_MS + PAUSE_MS;
    shown.forEach((way, index) => this.travel(way, (index * TRAVEL_MS) / round, TRAVEL_MS / round, round));
  }

  // Frames of one journey within the round of all of them; begin and share are parts of 1.
  travel(way, begin, share, round) {
    const ghost = this.draw(way.piece, 0, 0);
    ghost.setAttribute("class", "ghost");
    const at = (along, scale) => {
      const [a, b, c] = [(1 - along) ** 2, 2 * along * (1 - along), along ** 2];
      const [x, y] = [0, 1].map((axis) => a * way.from[axis] + b * way.bend[axis] + c * way.to[axis]);
      return `translate(${x.toFixed(2)}px, ${y.toFixed(2)}px) scale(${scale})`;
    };
    const offset = (part) => Math.min(1, begin + share * part);
    const frames = [{ offset: 0, opacity: 0, transform: at(0, 1) }];
    if (begin > 0) frames.push({ offset: offset(0), opacity: 0, transform: at(0, 1) });
    frames.push({ offset: offset(0.1), opacity: 0.9, transform: at(0, 1) }, { offset: offset(0.2), opacity: 0.9, transform: at(0, 1.12) });
    const STEPS = 16;
    for (let step = 1; step <= STEPS; step++) {
      const time = step / STEPS;
      const eased = time * time * (3 - 2 * time);
      frames.push({ offset: offset(0.2 + 0.5 * time), opacity: 0.9, transform: at(eased, 1.12) });
    }
    frames.push(
      { offset: offset(0.76), opacity: 0.9, transform: at(1, 1) },
      { offset: offset(0.9), opacity: 0.9, transform: at(1, 1) },
      { offset: offset(0.99), opacity: 0, transform: at(1, 1) },
      { offset: 1, opacity: 0, transform: at(1, 1) },
    );
    this.layer.append(ghost);
    ghost.animate(frames, { duration: round, iterations: Infinity });
  }
}
