// @ts-check
// The dashboard: tiles, table, drawer and panels follow the one stream of all orders.
import { Drawer } from "./dashboard_drawer.js";
import { Orders, tileOf } from "./dashboard_rows.js";
import { call, freshPart, localTimes } from "./page.js";
import { follow, stateShown } from "./stream.js";

const [CORRECTED_MS, SETTLED_MS] = [4000, 1500];
const list = location.pathname === "/dashboard" ? location.href : "/dashboard";

/** Once, a while after the first of many calls. @param {() => unknown} work @param {number} wait */
function soon(work, wait) {
  let timer = 0;
  return () => void (timer ||= setTimeout(() => ((timer = 0), Promise.resolve(work()).catch(() => undefined)), wait));
}

const tiles = new Map([.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-tile]"))].map((tile) => [tile.dataset.tile, tile]));

/** @param {string} name @param {(before: number) => number} change */
function setTile(name, change) {
  const number = tiles.get(name)?.querySelector("strong");
  if (!number) return;
  number.textContent = String(Math.max(0, change(Number(number.textContent))));
  tiles.get(name)?.toggleAttribute("data-zero", number.textContent === "0");
}
for (const name of tiles.keys()) setTile(name ?? "", (before) => before);

const panels = document.querySelector("[data-panels]");
const correct = soon(async () => {
  const read = tiles.size ? await call("GET", "/dashboard/-/numbers") : {};
  for (const [name, value] of Object.entries(read)) setTile(name, () => value);
  const fresh = panels && (await freshPart("[data-panels]"));
  // What somebody writes in or presses stays as it is.
  for (const [place, old] of [...(panels?.children ?? [])].entries())
    if (fresh?.children[place] && !old.matches(":active, :focus-within")) old.replaceChildren(...document.importNode(fresh.children[place], true).childNodes), localTimes(old);
}, CORRECTED_MS);

const table = /** @type {HTMLTableElement | null} */ (document.querySelector("[data-orders]"));
const place = /** @type {HTMLElement | null} */ (document.querySelector("[data-drawer-place]"));
const orders = table && new Orders(table);
const drawer = place && new Drawer(place, /** @type {HTMLElement} */ (place.parentElement), (deleted) => {
  mark("");
  orders?.gone(deleted);
  if (!table) location.href = list;
  else if (location.href !== list) history.pushState(null, "", list);
});

/** @param {string} id */
function mark(id) {
  for (const row of table?.tBodies[0].rows ?? []) row.ariaCurrent = row.dataset.id === id ? "true" : null;
}

table?.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-cell=link]") : null;
  const row = link?.closest("tr");
  if (!drawer || !row?.dataset.id || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  mark(row.dataset.id);
  history.pushState({ order: row.dataset.id }, "", `/dashboard/${encodeURIComponent(row.dataset.id)}`);
  drawer.open(row.dataset.id, /** @type {HTMLElement} */ (link));
});
addEventListener("popstate", (event) => {
  const id = event.state?.order;
  mark(id || "");
  if (id) drawer?.open(id, null);
  else if (drawer?.id) drawer.close();
});

const refresh = soon(() => drawer?.refresh(), SETTLED_MS / 3);
const readAgain = soon(() => orders?.reload(), SETTLED_MS);

follow("/v1/admin/stream", {
  begun: () => {
    if (orders?.isFirst) orders.reload().catch(() => undefined);
    correct();
  },
  message: (event) => {
    if (event.from !== event.to) {
      if (event.from !== "completed") setTile(tileOf(event.from), (before) => before - 1);
      setTile(tileOf(event.to), (before) => before + 1);
      correct();
    }
    if (event.task_id === drawer?.id) refresh();
  },
  progress: (progress) => orders?.progress(progress),
  orders: ({ orders: changed }) => void (orders?.take(changed) && readAgain()),
}, stateShown(document.querySelector("[data-stream]")));
if (tiles.size || panels) setInterval(() => document.visibilityState === "visible" && correct(), (panels ? 1 : 4) * CORRECTED_MS);
