// @ts-check
// A batch: its file may be dropped, and its figures follow while it is made.
import { freshPart, localTimes, takeDropped } from "./page.js";

const zone = document.querySelector("[data-drop-file]");
const input = zone?.querySelector("input");
if (zone && input)
  takeDropped(zone, ([file]) => {
    const given = new DataTransfer();
    if (file) given.items.add(file), (input.files = given.files);
  });

const EVERY_MS = 2000;
/** The page's part is read again until the batch is over. */
async function follow() {
  const part = document.querySelector("[data-batch]");
  if (!(part instanceof HTMLElement) || !part.dataset.batch) return;
  await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  const fresh = await freshPart("[data-batch]"); // where the server is away, the next read shows what has happened
  if (fresh && !part.contains(document.activeElement)) {
    part.replaceWith(fresh);
    localTimes(fresh);
  }
  follow();
}
follow();
