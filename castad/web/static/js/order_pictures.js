// @ts-check
// Pictures before they are sent: made small where they get smaller, turned, put in order, left out.
import { takeDropped, text } from "./page.js";

const form = /** @type {HTMLFormElement} */ (document.querySelector("[data-order]"));
/** @type {WeakMap<Element, {file: File, turns: number}>} each new picture as it was chosen */
const chosen = new WeakMap();
let work = Promise.resolve();
/** When all pictures that were chosen are in the form. */
export const settled = () => work;

/** The picture upright, turned and of at most `side` pixels. @param {File} file @param {number} turns to the right @param {number} side */
async function redraw(file, turns, side) {
  const image = Object.assign(new Image(), { src: URL.createObjectURL(file) });
  await image.decode().finally(() => URL.revokeObjectURL(image.src));
  const scale = Math.min(1, side / Math.max(image.width, image.height));
  if (scale === 1 && !turns) return file;
  const [width, height] = [image.width, image.height].map((each) => Math.max(1, Math.round(each * scale)));
  const [across, down] = turns % 2 ? [height, width] : [width, height];
  const canvas = Object.assign(document.createElement("canvas"), { width: across, height: down });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.translate(across / 2, down / 2);
  context.rotate((turns * Math.PI) / 2);
  context.drawImage(image, -width / 2, -height / 2, width, height);
  const isClear = file.type !== "image/jpeg" && context.getImageData(0, 0, across, down).data.some((value, at) => at % 4 === 3 && value < 255);
  const type = isClear ? "image/png" : "image/jpeg";
  const made = /** @type {Blob | null} */ (await new Promise((take) => canvas.toBlob(take, type, 0.9)));
  return made && (turns || made.size < file.size) ? new File([made], file.name, { type }) : file;
}

for (const zone of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-drop]"))) {
  const chooser = /** @type {HTMLInputElement} */ (zone.querySelector("input[type=file]"));
  const list = /** @type {HTMLElement} */ (zone.querySelector("[data-photos]"));
  const blank = /** @type {HTMLTemplateElement} */ (zone.querySelector("template"));
  const note = /** @type {HTMLElement} */ (zone.querySelector("[data-too-much]"));
  const [most, octets, formOctets, side] = ["most", "octets", "formOctets", "side"].map((name) => Number(zone.dataset[name]) || Infinity);
  const megabytes = (/** @type {number} */ size) => `${Math.floor(size / 1e6)} MB`;

  /** @param {File} file @param {number} turns @param {Element} [former] the picture that it replaces */
  async function put(file, turns, former) {
    const small = await redraw(file, turns, side).catch(() => null);
    if (!small) return text("no_picture", { name: file.name });
    if (small.size > octets) return text("too_large", { name: file.name, size: megabytes(octets) });
    if (!former && most === 1) former = list.firstElementChild ?? undefined;
    if (!former && list.children.length >= most) return text("too_many", { n: most });
    const item = /** @type {HTMLElement} */ (blank.content.cloneNode(true)).querySelector("li") ?? list;
    const image = /** @type {HTMLImageElement} */ (item.querySelector("img"));
    const given = new DataTransfer();
    given.items.add(small);
    /** @type {HTMLInputElement} */ (item.querySelector("input")).files = given.files;
    Object.assign(image, { src: URL.createObjectURL(small), alt: file.name });
    item.querySelector("[data-name]")?.append(file.name);
    for (const each of item.querySelectorAll("button")) each.ariaLabel = each.title += file.name;
    chosen.set(item, { file, turns });
    if (former) former.replaceWith(item);
    else list.append(item);
    return "";
  }

  /** @param {string} [said] what was left out */
  function changed(said = "") {
    const files = [.../** @type {NodeListOf<HTMLInputElement>} */ (list.querySelectorAll("input[type=file]"))].flatMap((each) => [...(each.files ?? [])]);
    const isTooMuch = files.reduce((sum, each) => sum + each.size, 0) > formOctets;
    chooser.setCustomValidity(isTooMuch ? text("all_too_large", { size: megabytes(formOctets) }) : "");
    note.textContent = chooser.validationMessage || said;
    note.hidden = !note.textContent;
    list.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** @param {Iterable<File>} files */
  const add = (files) => (work = work.then(async () => {
    const said = [];
    for (const file of files) said.push(await put(file, 0));
    changed([...new Set(said)].filter(Boolean).join(" "));
  }));

  /** A kept picture is fetched to be turned. @param {Element} item */
  async function turn(item) {
    const image = /** @type {HTMLImageElement} */ (item.querySelector("img"));
    const { file, turns } = chosen.get(item) ?? { file: await fetchWhole(image), turns: 0 };
    const at = [...list.children].indexOf(item);
    changed(await put(file, (turns + 1) % 4, item));
    /** @type {HTMLElement | null | undefined} */ (list.children[at]?.querySelector("[value=turn]"))?.focus();
  }

  /** @param {HTMLImageElement} image */
  async function fetchWhole(image) {
    const address = new URL(image.src);
    address.searchParams.set("whole", "yes");
    const content = await (await fetch(address)).blob();
    return new File([content], image.alt, { type: content.type });
  }

  const take = () => {
    const files = [...(chooser.files ?? [])];
    chooser.value = "";
    if (files.length) add(files);
  };
  chooser.addEventListener("change", take);
  take(); // what was chosen before this script was there
  takeDropped(zone, add);
  list.addEventListener("click", ({ target: button }) => {
    const item = button instanceof HTMLButtonElement && button.closest("li");
    if (!item) return;
    if (button.value === "turn") return (work = work.then(() => turn(item)));
    if (button.value === "earlier") item.previousElementSibling?.before(item);
    if (button.value === "later") item.nextElementSibling?.after(item);
    button.focus();
    if (button.value === "remove") {
      /** @type {HTMLElement} */ (item.nextElementSibling?.querySelector("[value=remove]") ?? chooser).focus();
      item.remove();
    }
    changed();
  });
}
