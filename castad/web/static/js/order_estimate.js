// @ts-check
// What the order costs and how long it takes, while it is filled in.
import { afterLast, call, dollars, duration, element, Refusal, text } from "./page.js";

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
    if (isTouched) mark(found.field);
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
form.addEventListener("input", afterLast(estimate, 350));
estimate();
