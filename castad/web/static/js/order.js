// @ts-check
// The form of an order: its price while it is filled in, suggestions, and pictures dropped into it.
import { afterLast, call, dollars, duration, element, Refusal, takeDropped, text } from "./page.js";

const form = /** @type {HTMLFormElement} */ (document.querySelector("[data-order]"));
const line = /** @type {HTMLElement} */ (form.querySelector("[data-estimate-line]"));
let asked = 0;
let isTouched = false; // nothing is said to be wrong before something was filled in

/** The form's fields without its files: a price needs no picture. */
function withoutFiles() {
  const given = new FormData(form);
  for (const [name, value] of [...given.entries()]) if (value instanceof File) given.delete(name);
  return given;
}

/** The control of this field, and no other, is shown as wrong. @param {string} field */
function mark(field) {
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-field]"))) {
    const control = each.querySelector("input, textarea, select");
    if (control) control.ariaInvalid = each.dataset.field === field ? "true" : null;
  }
}

async function estimate() {
  const number = ++asked;
  if (!form.checkValidity()) return;
  try {
    const found = await call("POST", form.dataset.estimate || "", withoutFiles());
    if (number !== asked || (found.field && !isTouched)) return;
    mark(found.field);
    line.replaceChildren(...(found.field ? [] : [figures(found)]), ...found.remarks.map(remark));
  } catch (error) {
    if (number === asked && error instanceof Refusal) line.replaceChildren(remark(error.message));
  }
}

/** @param {{usd: number, seconds: number}} found */
function figures(found) {
  const time = element("span", "dim", text("about", { time: duration(found.seconds) }));
  return element("p", "", element("strong", "number", dollars(found.usd)), " · ", time);
}

/** @param {string} sentence */
const remark = (sentence) => element("p", "note", sentence);

form.addEventListener("input", () => (isTouched = true));

// What is typed is kept on this device until the order's own page has been shown: a reload, another language,
// an ended session or a lost connection lose nothing. Pictures are not kept.
const draft = `draft:${form.dataset.order}:${form.getAttribute("action")}`;
/** @returns {HTMLInputElement[]} */
const controls = () => [...form.elements].filter((each) => each instanceof HTMLElement && "name" in each && each.name && each.name !== "csrf" && !["file", "submit", "button"].includes(/** @type {HTMLInputElement} */ (each).type)).map((each) => /** @type {HTMLInputElement} */ (each));
const isChoice = (/** @type {HTMLInputElement} */ each) => ["checkbox", "radio"].includes(each.type);
form.addEventListener("input", afterLast(() => {
  const kept = controls().map((each) => [each.name, isChoice(each) ? each.checked : each.value]);
  localStorage.setItem(draft, JSON.stringify({ task: /** @type {HTMLInputElement} */ (form.elements.namedItem("task_id")).value, kept }));
}, 200));

/** The draft is in the form, unless what was sent, a profile or an order that is changed is there. */
function restore() {
  const found = JSON.parse(localStorage.getItem(draft) || "null");
  const all = controls();
  if (!found || form.querySelector("[data-faults]") || [...new URLSearchParams(location.search).keys()].some((name) => name !== "lang")) return;
  if (found.kept.length !== all.length || found.kept.some((/** @type {[string]} */ [name], /** @type {number} */ at) => name !== all[at].name)) return;
  for (const [at, each] of all.entries()) {
    const value = found.kept[at][1];
    if (isChoice(each)) each.checked = value;
    else each.value = value;
  }
}
restore();
form.addEventListener("input", afterLast(estimate, 350));
for (const [place, happens, value] of /** @type {const} */ ([[form, "submit", "true"], [window, "pageshow", null]]))
  place.addEventListener(happens, () => {
    for (const each of form.querySelectorAll("button")) each.ariaDisabled = value;
  });

for (const group of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-suggestions]"))) {
  const field = /** @type {HTMLInputElement} */ (document.getElementById(group.dataset.suggestions || ""));
  const show = () => {
    for (const each of /** @type {NodeListOf<HTMLButtonElement>} */ (group.querySelectorAll(".suggestion")))
      each.setAttribute("aria-pressed", String(field.value.split(",")[0].trim() === each.value));
  };
  group.addEventListener("click", (event) => {
    const button = event.target;
    if (!(button instanceof HTMLButtonElement)) return;
    if (button.dataset.sample) return listen(button);
    field.value = button.value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  field.addEventListener("input", show);
  show();
}

const player = new Audio();
/** @type {HTMLButtonElement | undefined} the button of the sample that plays */
let playing;
player.addEventListener("ended", () => listen());

/** The button's sample plays, and no other; a second press stops it. @param {HTMLButtonElement} [button] */
function listen(button) {
  const next = button === playing ? undefined : button;
  playing?.setAttribute("aria-pressed", "false");
  player.pause();
  playing = next;
  if (!next) return;
  next.setAttribute("aria-pressed", "true");
  player.src = next.dataset.sample || "";
  player.play().catch(() => listen());
}

for (const zone of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-drop]"))) {
  const input = /** @type {HTMLInputElement} */ (zone.querySelector("input[type=file]"));
  const thumbs = /** @type {HTMLElement} */ (zone.querySelector("[data-thumbs]"));
  const show = () => {
    const pictures = [...(input.files || [])].map((file) => Object.assign(new Image(), { src: URL.createObjectURL(file), alt: file.name }));
    thumbs.replaceChildren(...pictures.map((picture) => element("li", "", picture)));
    zone.dispatchEvent(new CustomEvent("pictures", { detail: input.files, bubbles: true }));
  };
  input.addEventListener("change", show);
  takeDropped(zone, (files) => {
    const given = new DataTransfer();
    const found = [...(input.files || []), ...files].filter((file) => file.type.startsWith("image/"));
    for (const file of input.multiple ? found : found.slice(-1)) given.items.add(file);
    input.files = given.files;
    show();
  });
}

estimate();
