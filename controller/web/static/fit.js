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
    // The column's width is what the board leaves, once it is known which one lies there; notices take of its height.
    const main = message.parentElement;
    let room = "";
    const look = new ResizeObserver(() => {
      const now = `${message.clientWidth} ${main.clientWidth} ${main.clientHeight}`;
      if (room !== now) this.again();
      room = now;
    });
    for (const one of [main, message]) look.observe(one);
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
