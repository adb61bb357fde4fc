// @ts-check
// The dashboard's panels are read again now and then, unless somebody is about to press one of their buttons.
import { freshPart, localTimes } from "./page.js";

const EVERY_MS = 10_000;
const panels = /** @type {HTMLElement} */ (document.querySelector("[data-panels]"));

async function refresh() {
  if (document.visibilityState !== "visible" || panels.contains(document.activeElement) || panels.matches(":hover")) return;
  const found = await freshPart("[data-panels]");
  if (!found) return;
  panels.replaceChildren(...[...found.children].map((each) => document.importNode(each, true)));
  localTimes(panels);
}
setInterval(refresh, EVERY_MS);
