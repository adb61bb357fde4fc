// @ts-check
// What every page's script needs: texts, the CSRF token, calls to the server, figures in the page's language.

/** @type {Record<string, string>} */
const texts = JSON.parse(document.body.dataset.texts || "{}");
const csrf = document.body.dataset.csrf || "";
export const language = document.documentElement.lang;
document.documentElement.classList.add("scripted");

/** The text of this name, with `{name}` replaced by values. @param {string} name @param {Record<string, string | number>} [values] */
export function text(name, values = {}) {
  return (texts[name] ?? name).replace(/\{(\w+)\}/g, (all, key) => String(values[key] ?? all));
}

/** What the server refused: its problem's sentence, code and field. */
export class Refusal extends Error {
  /** @param {number} status @param {{detail?: string, code?: string, field?: string | null}} body */
  constructor(status, body) {
    super(body.detail || text("failed"));
    this.status = status;
    this.code = body.code || "";
    this.field = body.field || "";
  }
}

/**
 * The answer to a call as JSON; throws a Refusal. The body is a FormData, or becomes JSON.
 * @param {string} method @param {string} address @param {unknown} [body] @returns {Promise<any>}
 */
export async function call(method, address, body) {
  /** @type {Record<string, string>} */
  const headers = { "X-CSRF-Token": csrf, Accept: "application/json" };
  const isJson = body !== undefined && !(body instanceof FormData);
  if (isJson) headers["Content-Type"] = "application/json";
  const sent = isJson ? JSON.stringify(body) : /** @type {FormData | undefined} */ (body);
  const answer = await fetch(address, { method, headers, body: sent, credentials: "same-origin" });
  const content = await answer.json().catch(() => ({}));
  if (answer.status === 401) throw new Refusal(401, { detail: text("logged_out"), code: "unauthorized" });
  if (!answer.ok) throw new Refusal(answer.status, content);
  return content;
}

/** US dollars, as exactly as they matter. @param {number} amount */
export function dollars(amount) {
  if (!amount) return "$0";
  const digits = Math.abs(amount) < 0.01 ? 4 : 2;
  return `$${amount.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** A length of time in its two largest units, as the server writes it. @param {number} seconds */
export function duration(seconds) {
  if (seconds < 9.95) return text("seconds", { n: seconds.toFixed(1).replace(".0", "") });
  const whole = Math.round(seconds);
  if (whole < 60) return text("seconds", { n: whole });
  if (whole < 3600) return two("minutes", whole, "seconds");
  if (whole < 86400) return two("hours", Math.floor(whole / 60), "minutes");
  return text("days", { n: Math.round(whole / 86400) });
}

/** @param {string} large @param {number} count of the small unit, 60 of which are a large one @param {string} small */
function two(large, count, small) {
  const shown = text(large, { n: Math.floor(count / 60) });
  return count % 60 ? `${shown} ${text(small, { n: count % 60 })}` : shown;
}

/** Every `<time>` inside shows its moment in the reader's own zone, and names that. @param {ParentNode} inside */
export function localTimes(inside) {
  for (const each of /** @type {NodeListOf<HTMLTimeElement>} */ (inside.querySelectorAll("time[datetime]"))) {
    const at = new Date(each.dateTime);
    if (!Number.isNaN(at.getTime())) each.textContent = at.toLocaleString(language, { dateStyle: "short", timeStyle: "long" });
  }
}
localTimes(document);

/** A new element. @param {string} tag @param {string} className @param {(string | Node)[]} content */
export function element(tag, className, ...content) {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...content);
  return made;
}

/** Once, a while after the last of many calls. @param {() => unknown} work @param {number} wait */
export function afterLast(work, wait) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return () => (clearTimeout(timer), (timer = setTimeout(work, wait)));
}

/** This page's part as the server has it now; null where that is not to be had. @param {string} selector */
export async function freshPart(selector) {
  const html = await fetch(location.href).then((answer) => (answer.ok ? answer.text() : "")).catch(() => "");
  return new DOMParser().parseFromString(html, "text/html").querySelector(selector);
}

/** What is dropped on the zone is handed on. @param {Element} zone @param {(files: File[]) => void} take */
export function takeDropped(zone, take) {
  for (const [name, isOver] of /** @type {const} */ ([["dragover", true], ["dragleave", false], ["drop", false]]))
    zone.addEventListener(name, (event) => {
      if (name !== "dragleave") event.preventDefault();
      zone.classList.toggle("over", isOver);
      if (name === "drop") take([...(/** @type {DragEvent} */ (event).dataTransfer?.files ?? [])]);
    });
}

// Back from a work that was just ordered leads past its form, to the gallery.
addEventListener("pageshow", () => {
  if (history.state?.sent && history.state.sent === sessionStorage.getItem("arrived")) location.replace("/works");
});
document.addEventListener("submit", ({ target }) => {
  if (target instanceof HTMLFormElement && target.dataset.order) history.replaceState({ sent: new FormData(target).get("task_id") }, "");
  if (target instanceof HTMLFormElement && target.getAttribute("action") === "/logout")
    for (const name of Object.keys(localStorage)) if (name.startsWith("draft:")) localStorage.removeItem(name);
});
document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-copy]") : null;
  if (!(button instanceof HTMLElement)) return;
  const source = /** @type {HTMLInputElement | null} */ (document.querySelector(button.dataset.copy || "body"));
  await navigator.clipboard.writeText((source?.value ?? source?.textContent ?? "").trim());
  const before = button.textContent;
  button.textContent = text("copied");
  setTimeout(() => (button.textContent = before), 1500);
});
