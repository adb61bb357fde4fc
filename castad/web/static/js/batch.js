// @ts-check
// A batch: its file may be dropped, and its figures follow while it is made.
import { localTimes } from "./page.js";

const zone = document.querySelector("[data-drop-file]");
const input = zone?.querySelector("input");
zone?.addEventListener("dragover", (event) => {
  event.preventDefault();
  zone.classList.add("over");
});
zone?.addEventListener("dragleave", () => zone.classList.remove("over"));
zone?.addEventListener("drop", (event) => {
  event.preventDefault();
  zone.classList.remove("over");
  const files = /** @type {DragEvent} */ (event).dataTransfer?.files;
  if (input && files?.length) input.files = files;
});

const EVERY_MS = 2000;
/** The page's part is read again until the batch is over. */
async function follow() {
  const part = document.querySelector("[data-batch]");
  if (!(part instanceof HTMLElement) || !part.dataset.batch) return;
  await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  try {
    const answer = await fetch(location.href, { credentials: "same-origin" });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-batch]");
    if (answer.ok && fresh && !part.contains(document.activeElement)) {
      part.replaceWith(fresh);
      localTimes(fresh);
    }
  } catch {
    // The server is away for a moment; the next read shows what has happened meanwhile.
  }
  follow();
}
follow();
