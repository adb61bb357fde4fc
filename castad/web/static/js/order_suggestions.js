// @ts-check
// Suggested values, three seconds to listen to of each, and colours to pick.
export {};

const form = /** @type {HTMLFormElement} */ (document.querySelector("[data-order]"));

/** @param {HTMLInputElement} field @param {string} value */
function fill(field, value) {
  field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

for (const group of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-suggestions]"))) {
  const field = /** @type {HTMLInputElement} */ (document.getElementById(group.dataset.suggestions || ""));
  const values = () => field.value.split(group.dataset.several === undefined ? "\n" : ",").map((each) => each.trim()).filter(Boolean);
  const show = () => {
    for (const each of /** @type {NodeListOf<HTMLButtonElement>} */ (group.querySelectorAll(".suggestion")))
      each.setAttribute("aria-pressed", String(values().includes(each.value)));
  };
  group.addEventListener("click", ({ target: button }) => {
    if (!(button instanceof HTMLButtonElement)) return;
    if (button.dataset.sample) return listen(button);
    if (group.dataset.several === undefined) return fill(field, button.value);
    const others = values().filter((each) => each !== button.value);
    fill(field, (others.length < values().length ? others : [...others, button.value]).join(", "));
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

// The text beside a picker is what is sent: a picker has no empty value, and an optional colour has.
for (const pair of form.querySelectorAll("[data-colour]")) {
  const [picker, field] = pair.querySelectorAll("input");
  const show = () => /^#[0-9a-f]{6}$/i.test(field.value) && (picker.value = field.value);
  picker.addEventListener("input", () => fill(field, picker.value));
  field.addEventListener("input", show);
  show();
}
