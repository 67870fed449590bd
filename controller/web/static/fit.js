// On wide screens nothing scrolls: where there is much to say, words are set smaller until all of them are seen.
const WIDE = matchMedia("(min-width: 860px) and (min-aspect-ratio: 1/1)");
const STEP = 0.05;
// How small before the way to the players' page makes room, and how small at most.
const TIGHT_BELOW = 0.7;
const LEAST = 0.5;

export class Fit {
  // `message`, `record`: what shares the room; `--fit` scales the words of the first.
  constructor(message, record) {
    [this.message, this.record] = [message, record];
    addEventListener("resize", () => this.again());
    let width = 0; // of the column: the board takes what it needs as soon as it is known which one lies there
    new ResizeObserver(() => {
      if (width !== message.clientWidth) this.again();
      width = message.clientWidth;
    }).observe(message);
    for (const picture of record.querySelectorAll("img")) picture.addEventListener("load", () => this.again());
  }

  // Something was put there, or taken away.
  again() {
    for (const tight of [false, true]) {
      document.body.toggleAttribute("data-tight", tight);
      for (let scale = 1; scale >= (tight ? LEAST : TIGHT_BELOW) - STEP / 2; scale -= STEP) {
        this.message.style.setProperty("--fit", scale.toFixed(2));
        if (!WIDE.matches || !this.over()) return;
      }
    }
  }

  over() {
    return [this.message, this.record].some((one) => one.scrollHeight > one.clientHeight + 1);
  }
}
