// One tap on the operator's page: a wrong call is kept for whoever looks after the table.
import { send } from "./gate.js";

const button = document.getElementById("report-call");
const told = document.getElementById("report-told");

button.addEventListener("click", async () => {
  button.disabled = true;
  const { ok, error } = await send(`/api/operator/report?lang=${document.body.dataset.lang}`, {});
  told.textContent = ok ? button.dataset.said : error || button.dataset.lost;
  told.dataset.state = ok ? "ok" : "bad";
  button.disabled = false;
});
