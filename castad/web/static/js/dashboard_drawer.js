// @ts-check
// One order beside the table: its page, fetched and put there; its forms post there too.
import { element, localTimes, text } from "./page.js";

const COVERS = matchMedia("(max-width: 1099px)");

export class Drawer {
  /** @param {HTMLElement} place @param {HTMLElement} frame what is `open` while there is an order @param {(deleted: string) => void} closed */
  constructor(place, frame, closed) {
    this.place = place;
    this.frame = frame;
    this.closed = closed;
    this.id = place.dataset.drawerPlace || ""; // on a page of its own the order is there already
    this.opener = /** @type {HTMLElement | null} */ (null);
    this.did = ""; // what was just done is said until something else is
    place.addEventListener("submit", (event) => {
      event.preventDefault();
      if (event.target instanceof HTMLFormElement) this.#post(event.target, event.submitter);
    });
    place.addEventListener("click", (event) => {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      if (!link?.matches("[data-close], [data-inside], [href^='#']")) return;
      event.preventDefault();
      if (link.matches("[data-close]")) this.close();
      else if (link.hash) document.getElementById(link.hash.slice(1))?.focus();
      else this.#show(fetch(link.href));
    });
    COVERS.addEventListener("change", () => this.#shield());
    addEventListener("keydown", (event) => event.key === "Escape" && this.id && this.close());
  }

  /** @param {string} id @param {HTMLElement | null} opener */
  async open(id, opener) {
    [this.id, this.opener, this.did] = [id, opener, ""];
    await this.#show(fetch(`/dashboard/${encodeURIComponent(id)}`));
    if (this.id === id) this.place.focus({ preventScroll: true });
  }

  close(deleted = "") {
    this.id = "";
    this.place.hidden = true;
    this.place.replaceChildren();
    this.frame.classList.remove("open");
    this.#shield();
    (this.opener?.isConnected ? this.opener : document.getElementById("main"))?.focus({ preventScroll: true });
    this.closed(deleted);
  }

  /** Where the order covers all, nothing behind it is reached. */
  #shield() {
    const isModal = COVERS.matches && this.place.matches(".drawer:not([hidden])");
    this.place.role = isModal ? "dialog" : null;
    for (let each = /** @type {Element} */ (this.place); each.parentElement && each !== document.body; each = each.parentElement)
      for (const other of each.parentElement.children) if (other !== each) other.toggleAttribute("inert", isModal);
  }

  /** It is read again, unless somebody is writing in it. */
  refresh() {
    const isWriting = this.place.contains(document.activeElement) && document.activeElement?.matches("input, select");
    const isAsking = this.place.querySelector("details[open], [name=confirmed]");
    if (this.id && !isWriting && !isAsking) this.#show(fetch(`/dashboard/${encodeURIComponent(this.id)}`));
  }

  /** @param {HTMLFormElement} form @param {HTMLElement | null} submitter */
  async #post(form, submitter) {
    if (this.place.inert) return; // a second tap on what is being sent
    const body = new URLSearchParams(/** @type {any} */ (new FormData(form, submitter)));
    [this.place.inert, this.did] = [true, ""];
    await this.#show(fetch(form.action, { method: "POST", body })).finally(() => (this.place.inert = false));
    this.did = this.place.querySelector("[data-did]")?.outerHTML || "";
  }

  /** @param {Promise<Response>} asked */
  async #show(asked) {
    const id = this.id;
    const answer = await asked.catch(() => null);
    const isPage = answer?.headers.get("Content-Type")?.startsWith("text/html");
    const content = await (isPage ? answer?.text() : answer?.json())?.catch(() => null);
    if (this.id !== id) return;
    const order = isPage && new DOMParser().parseFromString(content || "", "text/html").querySelector("[data-drawer]");
    if (order) {
      const scrolled = this.place.scrollTop;
      const hasFocus = this.place.contains(document.activeElement);
      this.place.replaceChildren(document.importNode(order, true));
      if (this.did && !order.querySelector("[data-did]")) this.place.querySelector("header")?.insertAdjacentHTML("afterend", this.did);
      localTimes(this.place);
      this.place.scrollTop = scrolled;
      if (hasFocus) this.place.focus({ preventScroll: true });
    } else if (answer?.ok && new URL(answer.url).pathname === "/dashboard") {
      return this.close(id); // it leads back to the list, because the order was deleted
    } else {
      const note = element("p", "note bad refused", answer?.status === 401 ? text("logged_out") : content?.detail || text("failed"));
      note.role = "alert";
      this.place.querySelector(".refused")?.remove();
      this.place.prepend(note);
      this.place.scrollTop = 0;
    }
    this.place.hidden = false;
    this.frame.classList.add("open");
    this.#shield();
  }
}
