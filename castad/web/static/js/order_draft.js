// @ts-check
// An unsent form loses nothing: what is typed is kept on this device until the order's own page has been shown,
// and nothing is sent before the session and the connection are known to hold.
import { afterLast, element, freshPart, text } from "./page.js";
import { settled } from "./order_pictures.js";

const form = /** @type {HTMLFormElement} */ (document.querySelector("[data-order]"));
const draft = `draft:${form.dataset.order}:${form.getAttribute("action")}`;
const hidden = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
/** @returns {HTMLInputElement[]} */
const controls = () => /** @type {HTMLInputElement[]} */ ([...form.elements]).filter((each) => each.name && each.name !== "csrf" && !["submit", "button"].includes(each.type) && !each.closest("[data-drop]"));
const isChoice = (/** @type {HTMLInputElement} */ each) => ["checkbox", "radio"].includes(each.type);

function save() {
  const kept = controls().map((each) => [each.name, isChoice(each) ? each.checked : each.value]);
  localStorage.setItem(draft, JSON.stringify({ task: hidden("task_id").value, kept }));
}

/** The draft is in the form, unless another form is there: one that was refused later, a profile, an order. */
function restore() {
  const found = JSON.parse(localStorage.getItem(draft) || "null");
  const all = controls();
  const isOther = form.querySelector("[data-sent]") || [...new URLSearchParams(location.search).keys()].some((name) => name !== "lang");
  if (!found || (isOther && found.task !== hidden("task_id").value)) return;
  if (found.kept.length !== all.length || found.kept.some((/** @type {[string]} */ [name], /** @type {number} */ at) => name !== all[at].name)) return;
  for (const [at, each] of all.entries()) {
    if (isChoice(each)) each.checked = found.kept[at][1];
    else each.value = found.kept[at][1];
  }
}
restore();
form.addEventListener("input", afterLast(save, 200));

/** @type {"" | "asking" | "sure"} */
let state = "";
/** @param {typeof state} next */
function become(next) {
  state = next;
  for (const each of form.querySelectorAll("button")) each.ariaDisabled = next ? "true" : null;
}
window.addEventListener("pageshow", () => become(""));

form.addEventListener("submit", async (event) => {
  if (state === "sure") return;
  event.preventDefault();
  if (state === "asking") return;
  become("asking");
  await settled();
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  const fresh = /** @type {HTMLInputElement | null} */ (await freshPart("[data-order] [name=csrf]"));
  if (fresh) {
    hidden("csrf").value = fresh.value;
    save();
    if (button?.value === "clear") localStorage.removeItem(draft);
    become("sure");
    return form.requestSubmit(button);
  }
  become("");
  const link = Object.assign(element("a", "", text("log_in")), { href: "/login", target: "_blank" });
  form.querySelector("[data-estimate-line]")?.replaceChildren(element("p", "note bad", text("not_sent"), " ", link));
});
