// The list of recorded games: a search is an address, so that it can be kept and sent.
export function localTimes() {
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const day = { day: "numeric", month: "short", year: "numeric" };
    const clock = time.dateTime.length > 10 ? { hour: "2-digit", minute: "2-digit" } : {};
    time.textContent = at.toLocaleString(document.body.dataset.lang, { ...day, ...clock });
  }
}

// A screen that came here from the display, a kiosk say, goes back to it when nobody touches it any more.
const HOME = "boardref-home";
const IDLE_MS = 180_000;

function homeAgain() {
  if (location.hash === "#home") {
    sessionStorage.setItem(HOME, `/${location.search}`);
    history.replaceState(null, "", location.pathname + location.search);
  }
  const home = sessionStorage.getItem(HOME);
  if (!home) return;
  let timer = null;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (document.body.classList.contains("playing")) wait();
      else location.assign(home);
    }, IDLE_MS);
  };
  for (const sign of ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"]) addEventListener(sign, wait, { passive: true });
  wait();
}

homeAgain();

const form = document.getElementById("search");
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  const wanted = new URLSearchParams(location.search);
  for (const name of ["player", "game", "result", "turn", "since", "until", "illegal", "before"]) wanted.delete(name);
  for (const [name, value] of new FormData(form)) if (value.trim()) wanted.set(name, value.trim());
  location.search = wanted.toString();
});
localTimes();
