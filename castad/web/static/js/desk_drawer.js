// @ts-check
// One order beside the table: its page, fetched and put there; its forms post there too.
import { element, localTimes, text } from "./page.js";

export class Drawer {
  /** @param {HTMLElement} place @param {HTMLElement} frame what is `open` while there is an order @param {(deleted: string) => void} closed */
  constructor(place, frame, closed) {
    this.place = place;
    this.frame = frame;
    this.closed = closed;
    this.id = place.dataset.drawerPlace || ""; // on a page of its own the order is there already
    /** @type {HTMLElement | null} */
    this.opener = null;
    place.addEventListener("submit", (event) => {
      event.preventDefault();
      if (event.target instanceof HTMLFormElement) this.#post(event.target, event.submitter);
    });
    place.addEventListener("click", (event) => {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      if (!link?.matches("[data-close], [data-inside]")) return;
      event.preventDefault();
      if (link.matches("[data-close]")) this.close();
      else this.#show(fetch(link.href));
    });
    addEventListener("keydown", (event) => event.key === "Escape" && this.id && this.close());
  }

  /** @param {string} id @param {HTMLElement | null} opener */
  async open(id, opener) {
    this.id = id;
    this.opener = opener;
    await this.#show(fetch(`/desk/${encodeURIComponent(id)}`));
    if (this.id === id) this.place.focus({ preventScroll: true });
  }

  close(deleted = "") {
    this.id = "";
    this.place.hidden = true;
    this.place.replaceChildren();
    this.frame.classList.remove("open");
    this.opener?.focus({ preventScroll: true });
    this.closed(deleted);
  }

  /** It is read anew, unless somebody is writing in it. */
  refresh() {
    const isWriting = this.place.contains(document.activeElement) && document.activeElement?.matches("input, select");
    const isAsking = this.place.querySelector("details[open], [name=confirmed]");
    if (this.id && !isWriting && !isAsking) this.#show(fetch(`/desk/${encodeURIComponent(this.id)}`));
  }

  /** @param {HTMLFormElement} form @param {HTMLElement | null} submitter */
  async #post(form, submitter) {
    const body = new URLSearchParams(/** @type {any} */ (new FormData(form, submitter)));
    await this.#show(fetch(form.action, { method: "POST", body }));
  }

  /** @param {Promise<Response>} asked */
  async #show(asked) {
    const id = this.id;
    const answer = await asked.catch(() => null);
    const page = answer && new DOMParser().parseFromString(await answer.text(), "text/html");
    if (this.id !== id) return;
    const order = page?.querySelector("[data-drawer]");
    if (order) {
      const scrolled = this.place.scrollTop;
      const hasFocus = this.place.contains(document.activeElement);
      this.place.replaceChildren(document.importNode(order, true));
      localTimes(this.place);
      this.place.scrollTop = scrolled;
      if (hasFocus) this.place.focus({ preventScroll: true });
    } else if (answer?.ok && page) {
      return this.close(id); // it leads back to the list, because the order was deleted
    } else {
      const note = element("p", "note bad", page?.querySelector(".lead")?.textContent || text("failed"));
      note.role = "alert";
      this.place.prepend(note);
      this.place.scrollTop = 0;
    }
    this.place.hidden = false;
    this.frame.classList.add("open");
  }
}
