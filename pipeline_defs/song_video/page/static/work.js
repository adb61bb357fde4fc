// @ts-check
// The words line by line, each with its meter while it is written; and the lines as they are sung.
let asked = 0;

/** @param {HTMLElement} list */
function lineByLine(list) {
  const form = /** @type {HTMLFormElement} */ (list.closest("form"));
  const area = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem("text"));
  if (!area) return;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const rows = () => /** @type {HTMLElement[]} */ ([...list.children]);
  /** @param {HTMLElement} row @returns {HTMLInputElement} */
  const input = (row) => /** @type {HTMLInputElement} */ (row.querySelector("input"));

  /** @param {HTMLElement} row @param {string} words */
  function write(row, words) {
    const place = document.createElement("input");
    place.value = words;
    place.autocomplete = "off";
    place.maxLength = 100;
    place.setAttribute("aria-label", area.labels?.[0]?.textContent || "");
    place.dir = "auto";
    row.querySelector(".line-text")?.replaceChildren(place);
  }

  async function measure() {
    const number = ++asked;
    area.value = rows().map((row) => input(row).value).join("\n");
    const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
    const answer = await fetch(form.dataset.draft || "", { method: "POST", body }).catch(() => null);
    const found = answer?.ok ? await answer.json() : null;
    if (!found || number !== asked) return;
    rows().forEach((row, place) => show(row, found.lines[place] || { syllables: 0, most: 1 }));
  }

  /** @param {HTMLElement} row @param {{syllables: number, most: number, is_long?: boolean, is_hook?: boolean}} line */
  function show(row, line) {
    const bar = document.createElement("progress");
    bar.max = line.most;
    bar.value = line.syllables;
    row.querySelector(".meter")?.replaceChildren(...(line.syllables ? [bar] : []));
    const count = row.querySelector(".count");
    if (count) count.textContent = line.syllables ? String(line.syllables) : "";
    row.className = line.is_long ? "long" : line.syllables ? "" : input(row).value ? "part" : "gap";
    const long = row.querySelector(".too-long");
    if (long) long.textContent = line.is_long ? list.dataset.long || "" : "";
    /** @type {HTMLElement | null} */ (row.querySelector(".hook"))?.toggleAttribute("hidden", !line.is_hook);
  }

  list.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(measure, 250);
  });
  list.addEventListener("keydown", (event) => {
    const at = event.target;
    const row = at instanceof HTMLInputElement ? /** @type {HTMLElement} */ (at.closest("li")) : null;
    if (!(at instanceof HTMLInputElement) || !row || event.isComposing) return;
    const step = event.key === "ArrowUp" ? row.previousElementSibling : event.key === "ArrowDown" ? row.nextElementSibling : null;
    if (step) input(/** @type {HTMLElement} */ (step)).focus();
    if (event.key === "Enter") {
      event.preventDefault();
      const next = /** @type {HTMLElement} */ (row.cloneNode(true));
      write(next, at.value.slice(at.selectionStart || 0));
      at.value = at.value.slice(0, at.selectionStart || 0);
      row.after(next);
      input(next).focus();
    } else if (event.key === "Backspace" && !at.value && rows().length > 1) {
      event.preventDefault();
      const before = /** @type {HTMLElement} */ (row.previousElementSibling || row.nextElementSibling);
      row.remove();
      input(before).focus();
    } else return;
    at.dispatchEvent(new Event("input", { bubbles: true }));
    measure();
  });
  form.addEventListener("submit", () => (area.value = rows().map((row) => input(row).value).join("\n")), { capture: true });
  for (const row of rows()) write(row, row.querySelector(".line-text")?.textContent || "");
  list.classList.add("written");
  /** @type {HTMLElement} */ (area.closest("[data-field]")).hidden = true;
}

/** @param {HTMLElement} list */
function karaoke(list) {
  const audio = /** @type {HTMLAudioElement | null} */ (list.closest("form")?.querySelector(".take:has(:checked) audio, .take audio"));
  if (!audio) return;
  const lines = /** @type {HTMLElement[]} */ ([...list.children]);
  audio.addEventListener("timeupdate", () => {
    for (const line of lines) {
      const sung = audio.currentTime >= Number(line.dataset.start) && audio.currentTime < Number(line.dataset.end);
      if (sung && !line.ariaCurrent) list.scrollTop = line.offsetTop - list.clientHeight / 2;
      line.ariaCurrent = sung ? "true" : null;
    }
  });
}

function begin() {
  const lines = document.querySelector("[data-lines]");
  const sung = document.querySelector("[data-karaoke]");
  if (lines instanceof HTMLElement) lineByLine(lines);
  if (sung instanceof HTMLElement) karaoke(sung);
}
document.addEventListener("work", begin);
begin();
