// The log-in page: the PIN goes out once, and what is wrong with it is said below.
import { send } from "./gate.js";

const { lang, lost, to } = document.body.dataset;
const [pin, go, told] = ["pin", "go", "told"].map((id) => document.getElementById(id));
let waiting = 0;

function wait(seconds, sentence) {
  clearInterval(waiting);
  const until = performance.now() + 1000 * seconds;
  const tell = () => {
    const left = Math.ceil((until - performance.now()) / 1000);
    go.disabled = left > 0;
    told.textContent = left > 0 ? sentence.replace(String(seconds), String(left)) : "";
    if (left <= 0) clearInterval(waiting);
  };
  waiting = setInterval(tell, 500);
  tell();
}

document.getElementById("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (go.disabled || !pin.value) return;
  go.disabled = true;
  const answer = await send(`/api/operator/login?lang=${lang}`, { pin: pin.value });
  go.disabled = false;
  if (answer.ok) {
    location.replace(to);
    return;
  }
  pin.value = "";
  pin.focus();
  if (answer.told.wait_s) wait(answer.told.wait_s, answer.error);
  else told.textContent = answer.error || lost;
});
pin?.focus();
