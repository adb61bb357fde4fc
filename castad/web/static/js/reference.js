// @ts-check
// Tries of calls that only read, and a console of the live stream.
import { text } from "./page.js";

const LONGEST = 60_000;
const MOST_LINES = 200;

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("[data-try]"))) {
  const shown = /** @type {HTMLElement} */ (form.querySelector(".answer"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    let path = form.dataset.try || "/";
    const query = new URLSearchParams();
    for (const input of form.querySelectorAll("input")) {
      if (input.dataset.place === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
      else if (input.value) query.set(input.name, input.value);
    }
    const began = performance.now();
    const answer = await fetch(query.size ? `${path}?${query}` : path, { credentials: "same-origin" });
    const body = await answer.text();
    shown.hidden = false;
    shown.textContent = `${answer.status} ${answer.statusText} · ${Math.round(performance.now() - began)} ms\n\n${pretty(body)}`;
  });
}

/** @param {string} body */
function pretty(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2).slice(0, LONGEST);
  } catch {
    return body.slice(0, LONGEST);
  }
}

const listening = /** @type {HTMLFormElement} */ (document.querySelector("[data-stream-console]"));
const lines = /** @type {HTMLElement} */ (document.querySelector(".console"));
const state = /** @type {HTMLElement} */ (listening.querySelector(".stream"));
/** @type {EventSource | undefined} */
let source;
listening.addEventListener("submit", (event) => {
  event.preventDefault();
  source?.close();
  const name = String(new FormData(listening).get("task_id") || "").trim();
  source = new EventSource(name ? `/pipeline/events/${encodeURIComponent(name)}` : "/pipeline/events");
  const say = (/** @type {string} */ name) => {
    state.dataset.state = name;
    state.textContent = text(name);
  };
  source.onopen = () => say("live");
  source.onerror = () => say("reconnecting");
  for (const kind of ["message", "snapshot", "progress", "end"])
    source.addEventListener(kind, (each) => {
      const message = /** @type {MessageEvent} */ (each);
      lines.textContent = [...(lines.textContent || "").split("\n").slice(-MOST_LINES), `${kind} ${message.lastEventId} ${message.data}`].join("\n").trim();
      lines.scrollTop = lines.scrollHeight;
      if (kind === "end") source?.close();
    });
});
