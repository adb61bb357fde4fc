// @ts-check
// The desk: tiles, table and drawer follow the one stream of all orders.
import { Drawer } from "./desk_drawer.js";
import { Orders, tileOf } from "./desk_rows.js";
import { call } from "./page.js";
import { follow, stateShown } from "./stream.js";

const CORRECTED_MS = 4000;
const SETTLED_MS = 1500;
const list = location.pathname === "/desk" ? location.href : "/desk";

/** Once, a while after the first of many calls. @param {() => unknown} work @param {number} wait */
function soon(work, wait) {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    setTimeout(async () => {
      isDue = false;
      await Promise.resolve(work()).catch(() => undefined);
    }, wait);
  };
}

/** @type {Map<string, HTMLElement>} */
const tiles = new Map([.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-tile]"))].map((tile) => [tile.dataset.tile || "", tile]));
const numberOf = (/** @type {string} */ name) => tiles.get(name)?.querySelector("strong");

/** @param {string} name @param {number} value */
function setTile(name, value) {
  const number = numberOf(name);
  if (number) number.textContent = String(Math.max(0, value));
  tiles.get(name)?.toggleAttribute("data-zero", value <= 0);
}

/** @param {string | null} status @param {number} change */
function count(status, change) {
  const name = status ? tileOf(status) : "";
  if (name !== "done_today" || change > 0) setTile(name, Number(numberOf(name)?.textContent) + change);
}

const readTiles = async () => {
  for (const [name, value] of Object.entries(await call("GET", "/desk/-/numbers"))) setTile(name, value);
};
const correctTiles = soon(readTiles, CORRECTED_MS);
for (const name of tiles.keys()) setTile(name, Number(numberOf(name)?.textContent));

const table = /** @type {HTMLTableElement | null} */ (document.querySelector("[data-orders]"));
const place = /** @type {HTMLElement | null} */ (document.querySelector("[data-drawer-place]"));
const orders = table && new Orders(
  table,
  /** @type {HTMLAnchorElement} */ (document.querySelector("[data-older]")),
  /** @type {HTMLTemplateElement} */ (document.querySelector("[data-row]")),
  /** @type {HTMLElement} */ (document.querySelector("[data-empty]")),
);
const isFirst = table?.hasAttribute("data-first");
const drawer = place && new Drawer(place, /** @type {HTMLElement} */ (place.parentElement), (deleted) => {
  mark("");
  orders?.gone(deleted);
  if (!table) location.href = list;
  else if (location.href !== list) history.pushState(null, "", list);
});

/** @param {string} id */
function mark(id) {
  for (const row of table?.tBodies[0].rows ?? []) row.toggleAttribute("aria-current", row.dataset.id === id);
}

table?.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-cell=link]") : null;
  const row = link?.closest("tr");
  if (!drawer || !row?.dataset.id || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  mark(row.dataset.id);
  history.pushState({ order: row.dataset.id }, "", `/desk/${encodeURIComponent(row.dataset.id)}`);
  drawer.open(row.dataset.id, /** @type {HTMLElement} */ (link));
});
addEventListener("popstate", (event) => {
  const id = event.state?.order;
  if (id) drawer?.open(id, null);
  else if (drawer?.id) drawer.close();
});

const refresh = soon(() => drawer?.refresh(), SETTLED_MS / 3);
const readAgain = soon(() => isFirst && orders?.reload(), SETTLED_MS);

follow("/admin/stream", {
  begun: () => {
    if (isFirst) orders?.reload().catch(() => undefined);
    correctTiles();
  },
  message: (event) => {
    if (event.from !== event.to) {
      count(event.from, -1);
      count(event.to, 1);
      correctTiles();
    }
    if (event.task_id === drawer?.id) refresh();
  },
  progress: (progress) => orders?.progress(progress),
  orders: ({ orders: changed }) => {
    if (isFirst && orders?.take(changed)) readAgain();
  },
}, stateShown(document.querySelector("[data-stream]")));
if (tiles.size) setInterval(() => document.visibilityState === "visible" && correctTiles(), 5 * CORRECTED_MS);
