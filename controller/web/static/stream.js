// One screen's connection to the table: it never gives up, and it says when what it shows is old.
const SILENT_S = 3; // the server sends a beat each second
const OLD_S = 5; // a picture older than this is no news
const NAMES = ["state", "lights", "world", "players", "beat"];

export const $ = (id) => document.getElementById(id);

export function put(element, text) {
  if (element.textContent !== text) element.textContent = text; // untouched text is not read aloud again
}

export async function post(path, body) {
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const told = answer.ok ? {} : await answer.json().catch(() => ({}));
    return { ok: answer.ok, error: answer.ok ? "" : told.error ?? answer.statusText };
  } catch {
    return { ok: false, error: "" }; // the connection is gone: the notice says so already
  }
}

export class Stream {
  // `takers`: what to do with each kind of message; `words`: the screen's own texts.
  constructor(address, words, takers) {
    this.address = address;
    this.words = words;
    this.takers = takers;
    this.heardAt = performance.now();
    this.ageAtHeard = null;
    this.behindS = 0; // longer and longer between tries
    [this.wallMs, this.steadyMs] = [Date.now(), performance.now()];
    this.connect();
    this.tellAge();
    setInterval(() => this.watch(), 500);
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.silenceS() > 2) this.connect();
    });
    addEventListener("pageshow", (event) => event.persisted && this.slept(SILENT_S));
    addEventListener("online", () => this.silenceS() > 1 && this.connect());
  }

  connect() {
    this.source?.close();
    this.source = new EventSource(this.address);
    for (const name of NAMES)
      this.source.addEventListener(name, (event) => {
        const data = JSON.parse(event.data);
        this.heardAt = performance.now();
        this.ageAtHeard = data.age_s;
        this.takers[name]?.(data);
        this.tellAge();
      });
  }

  // Only our own clock measures silence: seconds between the server's and the screen's don't matter.
  silenceS() {
    return (performance.now() - this.heardAt) / 1000;
  }

  // EventSource gives up after some errors, and a half-open connection never errs: look at it ourselves, for ever.
  watch() {
    // A machine that slept: its steady clock may have stood still, so the news is older than it seems.
    const lostS = (Date.now() - this.wallMs - (performance.now() - this.steadyMs)) / 1000;
    [this.wallMs, this.steadyMs] = [Date.now(), performance.now()];
    if (lostS > 1.5) this.slept(lostS);
    this.tellAge();
    if (this.silenceS() > SILENT_S + this.behindS || this.source.readyState === EventSource.CLOSED) {
      this.behindS = Math.min(this.behindS + 2, 12);
      this.connect();
    }
    if (this.silenceS() < 1.5) this.behindS = 0;
  }

  slept(seconds) {
    this.heardAt -= seconds * 1000;
    this.behindS = 0;
    this.connect();
    this.tellAge();
  }

  tellAge() {
    const silent = this.silenceS();
    const age = this.ageAtHeard === null ? null : this.ageAtHeard + silent;
    const lost = silent > SILENT_S;
    const old = age !== null && age > OLD_S;
    document.body.dataset.stale = lost ? "server" : old ? "camera" : "";
    $("stale").hidden = !lost && !old;
    if (lost || old) {
      put($("stale-news"), this.words.stale_news.replace("{s}", Math.round(Math.max(silent, age ?? 0))));
      put($("stale-why"), lost ? this.words.stale_server : this.words.stale_camera);
    }
    $("age").dataset.state = lost || old ? "bad" : "ok";
    put($("age"), lost || old ? "" : this.words.label_live);
  }
}
