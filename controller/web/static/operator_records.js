// The operator's page of records: report a wrong call, take a backup away, see what is kept.
import { send } from "./gate.js";

const { lang } = document.body.dataset;
const words = JSON.parse(document.body.dataset.words);
const $ = (id) => document.getElementById(id);

function answer(element, ok, text) {
  element.textContent = text;
  element.dataset.state = ok ? "ok" : "bad";
}

function size(bytes) {
  const mb = bytes / 1e6;
  return mb < 1 ? `${Math.ceil(bytes / 1e3)} kB` : `${mb.toLocaleString(lang, { maximumFractionDigits: 1 })} MB`;
}

function files(element, none, found, address) {
  none.hidden = found.length > 0;
  element.replaceChildren(
    ...found.map((file) => {
      const [item, link, about] = ["li", "a", "span"].map((tag) => document.createElement(tag));
      link.href = `${address}/${encodeURIComponent(file.name)}`;
      link.download = file.name;
      link.textContent = file.name;
      const made = new Date(file.time_s * 1000).toLocaleString(lang, { dateStyle: "medium", timeStyle: "short" });
      about.textContent = `${made} · ${size(file.bytes)}`;
      item.append(link, about);
      return item;
    }),
  );
}

async function look() {
  const { ok, told } = await send(`/api/operator/records?lang=${lang}`, null, "GET");
  if (!ok) return;
  files($("reports"), $("no-reports"), told.reports, "/api/operator/reports");
  files($("backups"), $("no-backups"), told.backups, "/api/operator/backups");
  const rules = told.rules ?? [];
  $("rules").replaceChildren(...rules.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  const bad = told.checks.filter((check) => check.level !== "ok");
  $("checks").replaceChildren(
    ...bad.map((check) => Object.assign(document.createElement("li"), { textContent: `${check.said} ${check.hint}` })),
  );
}

$("report").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { ok, told, error } = await send(`/api/operator/report?lang=${lang}`, { note: $("note").value });
  answer($("report-told"), ok, ok ? words.report_done.replace("{file}", told.file) : error || words.records_lost);
  if (ok) $("note").value = "";
  look();
});

$("backup").addEventListener("click", async () => {
  $("backup").disabled = true;
  answer($("backup-told"), true, words.backup_wait);
  try {
    const got = await fetch(`/api/operator/backup?lang=${lang}`);
    if (got.status === 401) return location.reload();
    if (!got.ok) throw new Error((await got.json().catch(() => ({}))).error || "");
    const named = /filename="?([\w.-]+)"?/.exec(got.headers.get("content-disposition") ?? "");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await got.blob());
    link.download = named?.[1] ?? "boardref-backup.zip";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    answer($("backup-told"), true, words.backup_done);
  } catch (error) {
    const said = error instanceof TypeError ? "" : error.message;
    answer($("backup-told"), false, said || words.records_lost);
  } finally {
    $("backup").disabled = false;
    look();
  }
});

look();
