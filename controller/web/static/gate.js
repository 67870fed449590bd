// Words to the table from the operator's pages: each carries the page's own token. A session that is over leads to the log-in.
export async function send(path, body, method = "POST") {
  try {
    const answer = await fetch(path, {
      method,
      headers: { "Content-Type": "application/json", "X-CSRF-Token": document.body.dataset.csrf ?? "" },
      body: method === "GET" ? undefined : JSON.stringify(body),
    });
    const told = await answer.json().catch(() => ({}));
    if (answer.status === 401) location.reload();
    return { ok: answer.ok, status: answer.status, told, error: answer.ok ? "" : (told.error ?? answer.statusText) };
  } catch {
    return { ok: false, status: 0, told: {}, error: "" }; // the connection is gone
  }
}
