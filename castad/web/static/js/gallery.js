// @ts-check
// The gallery: a cover plays its film while it is pointed at.
import { call } from "./page.js";

/** @type {Map<string, Promise<string>>} the address of each work's film, "" where it has none */
const films = new Map();

/** @param {string} task */
function filmOf(task) {
  if (films.has(task)) return films.get(task);
  const found = call("GET", `/v1/pipeline/status/${encodeURIComponent(task)}`)
    .then((body) => body.artifacts.find((/** @type {any} */ each) => each.media_type.startsWith("video/"))?.url || "")
    .catch(() => "");
  films.set(task, found);
  return found;
}

const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
for (const cover of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-hover-film]"))) {
  const task = cover.dataset.hoverFilm;
  if (!task || isCalm) continue;
  cover.addEventListener("pointerenter", async () => {
    const address = await filmOf(task);
    if (!address || !cover.matches(":hover") || cover.querySelector("video")) return;
    const film = document.createElement("video");
    Object.assign(film, { src: address, muted: true, loop: true, playsInline: true, tabIndex: -1 });
    cover.append(film);
    film.play().catch(() => film.remove());
  });
  cover.addEventListener("pointerleave", () => cover.querySelector("video")?.remove());
}
