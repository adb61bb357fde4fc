// @ts-check
// The words with the fit of each line while they are written; and the lines as they are sung.

/** The words are written upon the list of their lines. @param {HTMLElement} list */
function meter(list) {
  const form = /** @type {HTMLFormElement} */ (list.closest("form"));
  const area = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem("text"));
  if (!area) return;
  const signs = JSON.parse(list.dataset.signs || "{}");
  let [asked, timer] = [0, 0];
  function line() {
    const lines = area.value.split("\n");
    while (list.children.length > lines.length) list.lastElementChild?.remove();
    lines.forEach((words, place) => {
      if (!list.children[place]) list.append(list.children[0].cloneNode(true));
      list.children[place].querySelector(".line-text")?.replaceChildren(words || "\u200b");
    });
  }
  async function measure() {
    const now = ++asked;
    const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
    const answer = await fetch(form.dataset.draft || "", { method: "POST", body }).catch(() => null);
    const found = answer?.ok ? await answer.json() : null;
    if (found && now === asked) [...list.children].forEach((row, place) => show(row, found.lines[place] || {}));
  }
  /** @param {Element} row @param {{fit?: string, section?: string, is_hook?: boolean}} line */
  function show(row, line) {
    const fit = /** @type {HTMLElement} */ (row.querySelector(".fit"));
    fit.className = `fit small ${line.fit || ""}`;
    fit.textContent = signs[line.fit || line.section || ""] || "";
    row.querySelector(".hook")?.toggleAttribute("hidden", !line.is_hook);
  }
  area.addEventListener("input", () => {
    line();
    clearTimeout(timer);
    timer = setTimeout(measure, 250);
  });
  const sheet = Object.assign(document.createElement("div"), { className: "sheet" });
  area.replaceWith(sheet);
  sheet.append(list, area);
  line();
}

/** The lines of the take that is heard, else of the one that is chosen. @param {HTMLElement} box */
function karaoke(box) {
  const form = /** @type {HTMLFormElement} */ (box.closest("form"));
  /** @param {string} [take] @param {number} [at] where it plays, in seconds */
  function show(take, at = -1) {
    const shown = box.querySelector(`[data-take="${take}"]`) || box.children[0];
    for (const each of box.children) each.toggleAttribute("hidden", each !== shown);
    for (const line of shown.querySelectorAll("li")) {
      const isSung = at >= Number(line.dataset.start) && at < Number(line.dataset.end);
      const list = /** @type {HTMLElement} */ (line.parentElement);
      if (isSung && !line.ariaCurrent) list.scrollTop = line.offsetTop - list.clientHeight / 2;
      line.ariaCurrent = isSung ? "true" : null;
    }
  }
  form.addEventListener("change", ({ target }) => target instanceof HTMLInputElement && target.name === "choice" && show(target.value));
  form.addEventListener("timeupdate", ({ target }) => {
    const audio = /** @type {HTMLAudioElement} */ (target);
    show(audio.closest(".take")?.querySelector("input")?.value, audio.currentTime);
  }, true);
}

function begin() {
  for (const list of document.querySelectorAll("[data-lines]")) meter(/** @type {HTMLElement} */ (list));
  for (const box of document.querySelectorAll("[data-karaoke]")) karaoke(/** @type {HTMLElement} */ (box));
}
document.addEventListener("work", begin);
begin();
