// A position laid out on the drawn board by tapping; the server says how it reads as text, or that it can't be.
import { Board, make, tokenUrl } from "./board.js";
import { send } from "./gate.js";
import { $, put } from "./stream.js";

const READ_MS = 300;

export class Laying {
  constructor(words, lang) {
    this.words = words;
    this.lang = lang;
    this.board = new Board($("laying"), false);
    this.placement = null; // site -> kinds, once somebody has begun
    this.kind = null; // the piece in hand; null takes away
    this.facts = null;
    this.readTimer = 0;
    this.touch = make("g", { class: "touch" });
    $("from-believed").addEventListener("click", () => this.from(this.facts?.believed ?? {}));
    $("from-seen").addEventListener("click", () => this.from(this.facts?.seen ?? {}));
    $("from-empty").addEventListener("click", () => this.from({}));
    $("mover").addEventListener("change", () => this.changed());
    $("position-text").addEventListener("input", () => put($("position-wrong"), ""));
    this.touch.addEventListener("click", (event) => {
      const site = event.target.dataset?.site;
      if (site) this.tap(site);
    });
  }

  text() {
    return $("position-text").value.trim();
  }

  geometry(geo) {
    this.board.geometry(geo);
    this.placement = null;
    const sites = Object.entries(geo.sites).filter(([, site]) => site.polygon.length);
    this.touch.replaceChildren(...sites.map(([site, { polygon }]) => make("polygon", { points: polygon.join(" "), "data-site": site })));
    $("laying").append(this.touch);
    this.show();
  }

  // What the table believes, until somebody lays out something else.
  desk(facts) {
    const before = this.facts;
    this.facts = facts;
    if (JSON.stringify(before?.players) !== JSON.stringify(facts.players)) {
      const sides = facts.players.map((one) => [one.id, one.name]);
      $("mover").replaceChildren(...[["", this.words.position_unknown], ...sides].map(([value, text]) => new Option(text, value)));
    }
    if (JSON.stringify(before?.kinds) !== JSON.stringify(facts.kinds)) this.kind = null;
    if (this.placement === null && document.activeElement !== $("position-text") && (before?.position ?? "") !== (facts.position ?? ""))
      [$("position-text").value, $("mover").value] = [facts.position ?? "", facts.to_move ?? ""];
    this.show();
  }

  from(placement) {
    this.placement = Object.fromEntries(Object.entries(placement).map(([site, kinds]) => [site, [...kinds]]));
    $("mover").value = this.facts?.to_move ?? "";
    this.changed();
  }

  tap(site) {
    const placement = this.placement ?? structuredClone(this.facts?.believed ?? {});
    const there = placement[site] ?? [];
    const several = this.facts?.kinds.length > 0 && this.board.geo.sites[site].polygon.length === 3; // Taasen's share a site
    if (this.kind === null) placement[site] = there.slice(0, -1);
    else if (there.includes(this.kind)) placement[site] = there.filter((kind) => kind !== this.kind);
    else placement[site] = several ? [...there, this.kind] : [this.kind];
    if (!placement[site].length) delete placement[site];
    this.placement = placement;
    this.changed();
  }

  changed() {
    this.show();
    clearTimeout(this.readTimer);
    this.readTimer = setTimeout(() => this.read(), READ_MS);
  }

  async read() {
    const placement = this.placement ?? this.facts?.believed ?? {};
    const answer = await send(`/api/operator/position?lang=${this.lang}`, { placement, to_move: $("mover").value || null });
    if (answer.ok) $("position-text").value = answer.told.position;
    put($("position-wrong"), answer.ok ? "" : answer.error || this.words.lost);
  }

  show() {
    if (!this.facts || !this.board.geo) return;
    const placement = this.placement ?? this.facts.believed;
    const pieces = Object.entries(placement).flatMap(([site, kinds]) => kinds.map((kind) => ({ site, kind, state: "seen", name: this.nameOf(kind) })));
    const nothing = { hidden: [], changed: [], last: [], targets: [], owed: [], fault: [] };
    this.board.state({ players: this.facts.players, board: { pieces, ...nothing }, message: { code: "", steps: [] } });
    this.palette(placement);
  }

  nameOf(kind) {
    return this.facts.kinds.find((one) => one.kind === kind)?.name ?? kind;
  }

  palette(placement) {
    const used = Object.values(placement).flat();
    const tools = [{ kind: null, name: "×" }, ...this.facts.kinds];
    const key = JSON.stringify([tools, used, this.kind]);
    if ($("palette").dataset.key === key) return;
    $("palette").dataset.key = key;
    $("palette").replaceChildren(
      ...tools.map(({ kind, name, most }) => {
        const button = document.createElement("button");
        button.type = "button";
        button.setAttribute("aria-pressed", String(kind === this.kind));
        button.setAttribute("aria-label", kind ? name : this.words.position_away);
        if (kind) {
          const picture = document.createElement("img");
          [picture.src, picture.alt] = [tokenUrl(kind), ""];
          const left = document.createElement("span");
          left.textContent = String(most - used.filter((one) => one === kind).length);
          button.append(picture, left);
        } else button.append(name);
        button.addEventListener("click", () => {
          this.kind = kind;
          this.show();
        });
        return button;
      }),
    );
  }
}
