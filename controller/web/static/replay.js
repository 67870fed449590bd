// A recorded game, board by board: step, play, keys, and an address for each turn (#7).
import { Board, make } from "./board.js";
import { localTimes } from "./games.js";

const told = JSON.parse(document.body.dataset.told);
const words = JSON.parse(document.body.dataset.words);
const $ = (id) => document.getElementById(id);
const calm = document.body.dataset.motion === "less" || matchMedia("(prefers-reduced-motion: reduce)").matches;
const STAY_MS = 1500;
const CARRY_MS = 620;

localTimes();
if (told.boards.length) start();
downloads();

function start() {
  const board = new Board($("board"), false);
  board.geometry(told.set);
  const items = [...document.querySelectorAll("#list li[data-board]")];
  const last = told.boards.length - 1;
  let at = 0;
  let timer = null;

  function show(index, how = "jump") {
    const before = at;
    at = Math.max(0, Math.min(last, index));
    const now = told.boards[at];
    const wrong = now.kind === "illegal";
    board.state({
      players: told.players,
      board: {
        pieces: now.pieces.map(([site, kind, name]) => ({ site, kind, name, state: "seen" })),
        last: wrong ? [] : now.marked,
        changed: [], hidden: [], targets: [], owed: [],
        fault: now.fault,
      },
      message: {
        code: wrong ? "illegal" : "replay",
        steps: wrong ? now.moves.map((move) => ({ piece: move.piece, from: move.to, to: move.from })) : [],
      },
    });
    if (how === "next" && at === before + 1) carry(now.moves, "from", "to");
    if (how === "back" && at === before - 1) carry(told.boards[before].moves, "to", "from");
    $("caption").textContent = now.caption.replace("  ", " ");
    $("caption").classList.toggle("wrong", wrong);
    $("note").textContent = at === last && told.result.over ? [told.result.head, now.note].filter(Boolean).join(" · ") : now.note;
    $("at").value = at;
    $("at").setAttribute("aria-valuetext", now.caption);
    for (const id of ["first", "back"]) $(id).disabled = at === 0;
    for (const id of ["next", "last"]) $(id).disabled = at === last;
    seats(now);
    marks();
    const key = wrong || now.kind === "set" ? `${now.n}.${at}` : `${now.n}`;
    history.replaceState(null, "", at === 0 ? location.pathname + location.search : `#${key}`);
    const link = $("diagram");
    link.href = link.href.replace(/&turn=\d+$/, "") + `&turn=${now.n}`;
    for (const other of document.querySelectorAll("footer nav a")) other.hash = location.hash;
  }

  function seats(now) {
    for (const seat of document.querySelectorAll(".seat-of")) {
      const index = told.players.findIndex((player) => player.id === seat.dataset.player);
      seat.classList.toggle("moves", now.to_move === seat.dataset.player && !(at === last && told.result.over));
      const points = seat.querySelector(".points");
      points.hidden = !now.score;
      if (now.score) points.textContent = now.score[index];
    }
  }

  function marks() {
    let current = null;
    for (const item of items) {
      const here = Number(item.dataset.board) === at && !item.classList.contains("is-result");
      if (here) current = item;
      for (const link of item.querySelectorAll("a")) {
        if (here) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }
    if (!current) return;
    const box = $("scroll");
    const [top, bottom] = [current.offsetTop, current.offsetTop + current.offsetHeight];
    if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight)
      box.scrollTo({ top: top - box.clientHeight / 2, behavior: calm ? "auto" : "smooth" });
  }

  // Pieces that were carried come from where they stood.
  function carry(moves, start, end) {
    if (calm) return;
    const used = new Set();
    for (const move of moves) {
      const [from, to] = [told.set.sites[move[start]]?.centre, told.set.sites[move[end]]?.centre];
      if (!from || !to) continue;
      const found = [...board.layers.pieces.children].find(
        (piece) => !used.has(piece) && piece.dataset.site === move[end] && piece.dataset.kind === move.piece,
      );
      if (!found) continue;
      used.add(found);
      board.layers.pieces.append(found); // above those that stay
      found.animate(
        [{ transform: `translate(${from[0] - to[0]}px, ${from[1] - to[1]}px)` }, { transform: "translate(0px, 0px)" }],
        { duration: CARRY_MS / Math.max(1, speed()), easing: "ease-in-out" },
      );
    }
  }

  const speed = () => Number($("speed").value);

  function play(on) {
    clearTimeout(timer);
    timer = null;
    document.body.classList.toggle("playing", on);
    $("play").setAttribute("aria-label", on ? words.label_pause : words.label_play);
    if (on) timer = setTimeout(tick, at === last ? 0 : 500);
    if (on && at === last) show(0);
  }

  function tick() {
    show(at + 1, "next");
    if (at === last) play(false);
    else timer = setTimeout(tick, STAY_MS / speed());
  }

  const step = (how) => {
    play(false);
    show(at + (how === "next" ? 1 : -1), how);
  };
  const jump = (index) => {
    play(false);
    show(index);
  };

  $("first").addEventListener("click", () => jump(0));
  $("last").addEventListener("click", () => jump(last));
  $("back").addEventListener("click", () => step("back"));
  $("next").addEventListener("click", () => step("next"));
  $("play").addEventListener("click", () => play(timer === null));
  $("at").addEventListener("input", (event) => jump(Number(event.target.value)));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const typing = event.target.closest("select, input:not([type=range])");
    const acts = { ArrowLeft: () => step("back"), ArrowRight: () => step("next"), Home: () => jump(0), End: () => jump(last) };
    if (event.key === " " && !event.target.closest("button, a, select, input")) acts[" "] = () => play(timer === null);
    if (typing || !acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  });

  // #7: turn 7; #7.12: the board 12, which belongs to turn 7.
  function addressed() {
    const [, n, index] = location.hash.match(/^#(\d+)(?:\.(\d+))?$/) ?? [];
    if (n === undefined) return 0;
    if (index !== undefined && told.boards[index]) return Number(index);
    const found = told.boards.findIndex((one) => one.kind !== "illegal" && one.n === Number(n));
    return found >= 0 ? found : last;
  }

  $("list").addEventListener("click", (event) => {
    const item = event.target.closest("a")?.closest("li[data-board]");
    if (!item) return;
    event.preventDefault();
    jump(Number(item.dataset.board));
  });
  addEventListener("hashchange", () => jump(addressed()));
  $("board").append(make("title", {}, told.players.map((one) => one.name).join(" – ")));
  show(addressed());
}

// A film takes a moment; what is refused is said here, not on a page of its own.
function downloads() {
  for (const link of document.querySelectorAll("a[data-slow]"))
    link.addEventListener("click", async (event) => {
      event.preventDefault();
      if (link.classList.contains("making")) return;
      link.classList.add("making");
      link.setAttribute("aria-busy", "true");
      $("refused").hidden = true;
      try {
        const answer = await fetch(link.href);
        if (!answer.ok) throw new Error((await answer.json()).error);
        const name = answer.headers.get("content-disposition")?.match(/filename="([^"]+)"/)?.[1] ?? "film";
        const address = URL.createObjectURL(await answer.blob());
        const save = Object.assign(document.createElement("a"), { href: address, download: name });
        save.click();
        setTimeout(() => URL.revokeObjectURL(address), 60_000);
      } catch (error) {
        $("refused").textContent = error.message;
        $("refused").hidden = false;
      } finally {
        link.classList.remove("making");
        link.removeAttribute("aria-busy");
      }
    });
}
