// @ts-check
// Tries of calls that only read, and a console of the live stream.
import { follow, stateShown } from "./stream.js";

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

const listening = /** @type {HTMLFormElement | null} */ (document.querySelector("[data-stream-console]"));
const lines = /** @type {HTMLElement} */ (document.querySelector(".console"));
let stop = () => {};
listening?.addEventListener("submit", (event) => {
  event.preventDefault();
  stop();
  const name = String(new FormData(listening).get("task_id") || "").trim();
  const say = (/** @type {string} */ kind) => (/** @type {unknown} */ data, /** @type {string} */ id) => {
    const before = (lines.textContent || "").split("\n").slice(-MOST_LINES);
    lines.textContent = [...before, `${kind} ${id} ${JSON.stringify(data)}`].join("\n").trim();
    lines.scrollTop = lines.scrollHeight;
  };
  const handlers = Object.fromEntries(["message", "snapshot", "progress", "end"].map((kind) => [kind, say(kind)]));
  stop = follow(name ? `/v1/pipeline/events/${encodeURIComponent(name)}` : "/v1/pipeline/events", handlers, stateShown(listening.querySelector(".stream")));
});
