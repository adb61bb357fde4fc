// @ts-check
// The dashboard's table: thousands of orders in memory, at most a hundred and sixty rows in the page, each patched by itself.
import { call, dollars, duration, text } from "./page.js";

const PAGE = 100;
const STEP = 40; // rows that one frame brings
const MOST_ROWS = 4 * STEP;
const MOST_PAGES_AGAIN = 5;
const NEAR = "600px";

/**
 * @typedef {{task_id: string, pipeline: string, summary: string | null, status: string, stage: string | null,
 *   progress: number, seq: number, waits_for: string | null, error: {code: string, message: string | null} | null,
 *   owner: string | null, seconds: number, cost_usd: number, cover: string | null, created_at: string,
 *   completed_at: string | null}} Order
 * @typedef {Record<string, string | undefined>} Filter
 */

/** Held and paused orders are pending ones with a reason. @param {Order} order */
export function stateOf(order) {
  if (order.status !== "pending" || !order.waits_for) return order.status;
  if (order.waits_for.startsWith("approval:")) return "held";
  return order.waits_for.includes(":") ? order.status : "paused";
}

/** What the badge says: an order whose submission may have been paid for is in doubt, not merely failed or dead. @param {Order} order */
const shownState = (order) => (["failed", "dead"].includes(order.status) && order.error?.code === "submission_unknown" ? "in_doubt" : stateOf(order));

/** @type {Record<string, string>} */
const TILE_OF = { pending: "waiting", dispatched: "working", processing: "working", failed: "retry", completed: "done_today" };
/** The tile that counts orders of this state. @param {string} state */
export const tileOf = (state) => TILE_OF[state] ?? state;

/** Whether the order matches; null where only the server knows. @param {Order} order @param {Filter} filter */
export function matches(order, filter) {
  if (filter.q || filter.status === "in_doubt") return null;
  const tile = tileOf(stateOf(order));
  const isToday = (order.completed_at ?? "") >= new Date().toISOString().slice(0, 10);
  const wanted = filter.status === "completed" ? "done_today" : filter.status;
  if (wanted && (tile !== wanted || (filter.status === "done_today" && !isToday))) return false;
  return ["pipeline", "stage", "owner"].every((name) => !filter[name] || filter[name] === /** @type {any} */ (order)[name])
    && (!filter.code || filter.code === order.error?.code);
}

export class Orders {
  /** @param {HTMLTableElement} table */
  constructor(table) {
    this.body = table.tBodies[0];
    this.older = /** @type {HTMLAnchorElement} */ (document.querySelector("[data-older]"));
    this.pages = /** @type {HTMLElement} */ (this.older.parentElement);
    this.template = /** @type {HTMLTemplateElement} */ (document.querySelector("[data-row]"));
    this.empty = /** @type {HTMLElement} */ (document.querySelector("[data-empty]"));
    this.isFirst = table.hasAttribute("data-first"); // an older page shows no new orders
    this.labels = JSON.parse(table.dataset.labels || "{}");
    /** @type {Filter} */
    this.filter = JSON.parse(table.dataset.filter || "{}");
    this.query = new URLSearchParams(/** @type {Record<string, string>} */ (this.filter)).toString();
    /** @type {Map<string, Order & {at: number}>} */
    this.known = new Map();
    /** @type {Map<string, number>} */
    this.seqs = new Map();
    /** @type {Map<string, HTMLTableRowElement>} */
    this.rows = new Map([...this.body.rows].map((row) => [row.dataset.id || "", row]));
    this.list = [...this.rows.keys()];
    /** @type {Set<string>} */
    this.dirty = new Set();
    this.top = 0;
    this.size = PAGE;
    this.cursor = this.older.hidden ? null : new URL(this.older.href).searchParams.get("cursor");
    this.isDrawing = this.isLoading = false;
    const ends = [this.pages, /** @type {HTMLElement} */ (table.tHead)];
    const near = new IntersectionObserver(async (seen) => {
      if (!seen.some((each) => each.isIntersecting)) return;
      await this.#move(table);
      requestAnimationFrame(() => ends.forEach((each) => (near.unobserve(each), near.observe(each))));
    }, { rootMargin: NEAR });
    ends.forEach((each) => near.observe(each));
    this.older.addEventListener("click", (event) => (event.preventDefault(), this.#further()));
    setInterval(() => (this.rows.forEach((_, id) => this.dirty.add(id)), this.#draw()), 5000);
  }

  /** These orders are as given, unless a later event is known; rows come, change or go. @param {Order[]} orders */
  take(orders) {
    let isUnsure = false;
    for (const order of [...orders].reverse()) {
      const isListed = this.rows.has(order.task_id) || this.known.has(order.task_id);
      if (!this.#isNews(order)) continue;
      const fits = matches(order, this.filter);
      if (fits === null) isUnsure = this.isFirst;
      if (fits === false) this.#forget(order.task_id);
      else if (isListed) this.#know(order);
      else if (fits && this.isFirst) this.#insert(order);
    }
    this.#draw();
    return isUnsure;
  }

  /** The order is no longer listed. @param {string} id */
  gone(id) {
    this.#forget(id);
    this.seqs.delete(id);
    this.#draw();
  }

  /** How far an order is. @param {{task_id: string, percent: number}} progress */
  progress({ task_id, percent }) {
    const order = this.known.get(task_id);
    if (order && percent > order.progress) this.#know({ ...order, progress: percent });
    this.#draw();
  }

  /** What is listed is read again, as far as a few pages go. */
  async reload() {
    const pages = Math.min(Math.max(1, Math.ceil(this.list.length / PAGE)), MOST_PAGES_AGAIN);
    /** @type {Order[]} */
    const found = [];
    const asked = performance.now();
    let cursor = null;
    for (let read = 0; read < pages && (read === 0 || cursor); read++) {
      const page = await this.#read(cursor);
      found.push(...page.orders);
      cursor = page.next;
    }
    const ids = new Set(found.map((order) => order.task_id));
    // What has left the filter while this was read is not listed again, and what has come to match stays.
    for (const order of found) this.#isNews(order) ? this.#know(order) : this.known.has(order.task_id) || ids.delete(order.task_id);
    const since = [...this.known.values()].filter((order) => !ids.has(order.task_id) && order.at > asked);
    for (const id of this.list) if (!ids.has(id)) this.known.delete(id);
    this.list = [...ids];
    this.cursor = cursor;
    since.forEach((order) => this.#insert(order));
    this.top = Math.min(this.top, Math.max(0, this.list.length - PAGE));
    this.#draw();
  }

  /** @param {string | null} cursor @returns {Promise<{orders: Order[], next: string | null}>} */
  #read(cursor) {
    return call("GET", `/dashboard/-/rows?${this.query}${cursor ? `&cursor=${cursor}` : ""}`);
  }

  /** Whether no later event of it is known. @param {Order} order */
  #isNews({ task_id, seq }) {
    return seq >= (this.seqs.get(task_id) ?? 0) && Boolean(this.seqs.set(task_id, seq));
  }

  /** @param {Order} order */
  #know(order) {
    this.known.set(order.task_id, { at: performance.now(), ...order });
    this.dirty.add(order.task_id);
  }

  /** @param {string} id */
  #forget(id) {
    const index = this.list.indexOf(id);
    if (index < 0) return;
    this.list.splice(index, 1);
    this.known.delete(id);
    if (index < this.top) this.top--;
  }

  /** A newer order comes first; one that is older than all that is listed comes with its page. @param {Order} order */
  #insert(order) {
    const found = this.list.findIndex((id) => (this.known.get(id)?.created_at ?? "") <= order.created_at);
    const place = found < 0 ? this.list.length : found;
    if (place === this.list.length && this.cursor) return;
    this.list.splice(place, 0, order.task_id);
    if (place < this.top) this.top++;
    this.#know(order);
  }

  async #further() {
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      if (this.top + this.size >= this.list.length && this.cursor) {
        const { cursor } = this;
        const page = await this.#read(cursor);
        if (cursor !== this.cursor) return; // meanwhile all was read again, to another end
        for (const order of page.orders) if (!this.known.has(order.task_id) && this.#isNews(order)) this.list.push(order.task_id), this.#know(order);
        this.cursor = page.next;
      }
      const last = this.list.length;
      if (this.top + this.size < last) {
        const wider = Math.min(this.size + STEP, MOST_ROWS);
        this.top = Math.max(this.top, Math.min(this.top + this.size + STEP, last) - wider);
        this.size = wider;
        this.#draw();
      }
    } finally {
      this.isLoading = false;
    }
  }

  /** Where an end of the window is near, further rows are shown. @param {HTMLTableElement} table */
  async #move(table) {
    if (this.top > 0 && table.getBoundingClientRect().top > -600) {
      this.top = Math.max(0, this.top - STEP);
      this.#draw();
    } else if (this.pages.getBoundingClientRect().top < innerHeight + 600) {
      await this.#further().catch(() => undefined);
    }
  }

  /** In the next frame the page shows what is known. */
  #draw() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      const anchor = scrollY > 0 ? [...this.body.rows].find((row) => row.getBoundingClientRect().top >= 60) : undefined;
      const before = anchor?.getBoundingClientRect().top ?? 0;
      this.#place();
      if (anchor?.isConnected) scrollBy(0, anchor.getBoundingClientRect().top - before);
    });
  }

  #place() {
    const shown = this.list.slice(this.top, this.top + this.size);
    const wanted = new Set(shown);
    for (const [id, row] of this.rows) if (!wanted.has(id)) row.remove(), this.rows.delete(id);
    let next = this.body.firstElementChild;
    for (const id of shown) {
      const row = this.rows.get(id) ?? this.#newRow(id);
      const order = this.known.get(id);
      if (order && this.dirty.has(id)) this.#patch(row, order);
      if (row === next) next = next.nextElementSibling;
      else this.body.insertBefore(row, next);
    }
    this.dirty.clear();
    this.older.hidden = this.top + this.size >= this.list.length && !this.cursor;
    this.empty.hidden = shown.length > 0;
  }

  /** @param {string} id */
  #newRow(id) {
    const row = /** @type {HTMLTableRowElement} */ (document.importNode(this.template.content, true).querySelector("tr"));
    row.dataset.id = id;
    this.rows.set(id, row);
    this.dirty.add(id);
    return row;
  }

  /** @param {Order} order */
  #waits({ waits_for: what, pipeline }) {
    const [kind, name] = what?.includes(":") ? what.split(/:(.*)/s) : ["paused", what ?? ""];
    const known = text(`dashboard_waits_${kind}`, { name: this.labels.stage[pipeline]?.[name] ?? name });
    return known.startsWith("dashboard_") ? what ?? "" : known;
  }

  /** @param {HTMLTableRowElement} row @param {Order & {at: number}} order */
  #patch(row, order) {
    const state = shownState(order);
    const { labels } = this;
    /** @type {Record<string, string>} */
    const texts = {
      summary: order.summary || order.task_id,
      task_id: order.task_id,
      kind: labels.pipeline[order.pipeline] ?? order.pipeline,
      stage: labels.stage[order.pipeline]?.[order.stage ?? ""] ?? order.stage ?? "",
      status: labels.status[state] ?? state,
      age: duration(Math.max(0, (Date.now() - Date.parse(order.created_at)) / 1000)),
      cost: dollars(order.cost_usd),
      code: order.error?.code ?? "",
      reason: order.status === "pending" && order.waits_for ? this.#waits(order) : order.error?.message ?? "",
    };
    for (const cell of /** @type {NodeListOf<HTMLElement>} */ (row.querySelectorAll("[data-cell]"))) {
      const name = cell.dataset.cell || "";
      if (name in texts) cell.textContent !== texts[name] && (cell.textContent = texts[name]);
      else if (cell instanceof HTMLAnchorElement) cell.href = `/dashboard/${encodeURIComponent(order.task_id)}`;
      else if (cell instanceof HTMLProgressElement) cell.value = order.progress;
      else if (cell instanceof HTMLImageElement && order.cover && cell.getAttribute("src") !== order.cover) cell.src = order.cover;
      if (name === "status") cell.className = `badge ${state}`;
      if (name === "cover") cell.hidden = !order.cover;
    }
  }
}
