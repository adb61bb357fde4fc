// @ts-check
// The title card of the film, drawn while the form is filled in.
const form = /** @type {HTMLFormElement} */ (document.querySelector("[data-order]"));
const card = /** @type {HTMLElement} */ (document.querySelector("[data-card]"));
const shop = /** @type {HTMLElement} */ (card.querySelector("[data-shop]"));
const place = /** @type {HTMLElement} */ (card.querySelector("[data-place]"));
const special = /** @type {HTMLElement} */ (card.querySelector("[data-special]"));
const photo = /** @type {HTMLImageElement} */ (card.querySelector("[data-photo]"));
const unnamed = shop.textContent || "";

/** @param {string} name */
const given = (name) => String(new FormData(form).get(name) || "").trim();

function draw() {
  shop.textContent = given("customer_name") || unnamed;
  place.textContent = given("region");
  special.textContent = given("detail_region_info");
  const first = /** @type {HTMLImageElement | null} */ (form.querySelector("[data-field=images] [data-picture] img"));
  photo.hidden = !first;
  if (first && photo.src !== first.src) photo.src = first.src;
  card.classList.toggle("horizontal", given("orientation") === "horizontal");
}

form.addEventListener("input", draw);
draw();
