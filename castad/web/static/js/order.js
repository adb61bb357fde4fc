// @ts-check
// The form of an order: its price while it is filled in, suggestions, and pictures dropped into it.
import { call, dollars, duration, Refusal, text } from "./page.js";

const form = /** @type {HTMLFormElement} */ (document.querySelector("[data-order]"));
const line = /** @type {HTMLElement} */ (form.querySelector("[data-estimate-line]"));
let asked = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** The form's fields without its files: a price needs no picture. */
function withoutFiles() {
  const given = new FormData(form);
  for (const [name, value] of [...given.entries()]) if (value instanceof File) given.delete(name);
  return given;
}

/** The control of this field, and no other, is shown as wrong. @param {string} field */
function mark(field) {
  for (const each of form.querySelectorAll("[data-field]")) {
    const isIt = each instanceof HTMLElement && each.dataset.field === field;
    const control = each.querySelector("input, textarea, select");
    if (isIt) control?.setAttribute("aria-invalid", "true");
    else control?.removeAttribute("aria-invalid");
  }
}

async function estimate() {
  const number = ++asked;
  if (!form.checkValidity()) return;
  try {
    const found = await call("POST", form.dataset.estimate || "", withoutFiles());
    if (number !== asked) return;
    mark(found.field);
    line.replaceChildren(...(found.field ? [] : [figures(found)]), ...found.remarks.map(remark));
  } catch (error) {
    if (number === asked && error instanceof Refusal) line.replaceChildren(remark(error.message));
  }
}

/** @param {{usd: number, seconds: number}} found */
function figures(found) {
  const price = document.createElement("strong");
  price.className = "number";
  price.textContent = dollars(found.usd);
  const time = document.createElement("span");
  time.className = "dim";
  time.textContent = text("about", { time: duration(found.seconds) });
  const line = document.createElement("p");
  line.append(price, " · ", time);
  return line;
}

/** @param {string} sentence */
function remark(sentence) {
  const note = document.createElement("p");
  note.className = "note";
  note.textContent = sentence;
  return note;
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(estimate, 350);
});
form.addEventListener("submit", () => {
  for (const each of form.querySelectorAll("button")) each.setAttribute("aria-disabled", "true");
});
addEventListener("pageshow", () => {
  for (const each of form.querySelectorAll("button")) each.removeAttribute("aria-disabled");
});

for (const group of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-suggestions]"))) {
  const field = /** @type {HTMLInputElement} */ (document.getElementById(group.dataset.suggestions || ""));
  const words = () => field.value.split(",").map((word) => word.trim());
  const show = () => {
    for (const each of /** @type {NodeListOf<HTMLButtonElement>} */ (group.querySelectorAll(".suggestion")))
      each.setAttribute("aria-pressed", String(words()[0] === each.value));
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
    thumbs.replaceChildren(...[...(input.files || [])].map(thumb));
    form.dispatchEvent(new CustomEvent("pictures", { detail: input.files }));
  };
  input.addEventListener("change", show);
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    const given = new DataTransfer();
    for (const file of [...(input.files || []), ...(event.dataTransfer?.files || [])])
      if (file.type.startsWith("image/")) given.items.add(file);
    input.files = given.files;
    show();
  });
}

/** @param {File} file */
function thumb(file) {
  const item = document.createElement("li");
  const picture = document.createElement("img");
  picture.src = URL.createObjectURL(file);
  picture.alt = file.name;
  item.append(picture);
  return item;
}

estimate();
