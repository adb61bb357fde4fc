// @ts-check
// The page of one work: progress as it comes, forms without losing one's place, sounds drawn, frames picked.
import { afterLast, duration, localTimes, text } from "./page.js";
import { follow, stateShown } from "./stream.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {() => void} */
let stop = () => {};
let isDirty = false;
const RETRY_MS = 3000;

/** @param {string} selector @returns {HTMLElement | null} */
const find = (selector) => main.querySelector(selector);

/** The part of this page that the server has now takes the place of the part that is shown. @param {string} html @param {string} [part] */
function swap(html, part) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const fresh = page.querySelector(part || "main");
  const shown = part ? find(part) : main;
  if (!fresh || !shown) return location.reload();
  const focused = document.activeElement?.id;
  shown.replaceChildren(...fresh.childNodes);
  localTimes(shown);
  if (focused) document.getElementById(focused)?.focus();
  if (part) return;
  isDirty = false;
  document.title = page.title;
  begin();
}

/** @param {string} sentence */
function refuse(sentence) {
  const place = find("[data-refused]");
  if (!place) return;
  place.textContent = sentence;
  place.hidden = false;
  place.scrollIntoView({ block: "center" });
}

/** @param {HTMLFormElement} form @param {HTMLElement | null} button */
async function send(form, button) {
  const given = new URLSearchParams(/** @type {any} */ (new FormData(form, button)));
  for (const each of form.querySelectorAll("button")) each.disabled = true;
  try {
    const answer = await fetch(form.action, { method: "POST", body: given });
    const html = await answer.text();
    if (new URL(answer.url).pathname === "/login") return location.reload();
    if (answer.ok) return swap(html, form.dataset.swap);
    const page = new DOMParser().parseFromString(html, "text/html");
    refuse(page.querySelector(".error, main .lead")?.textContent || text("failed"));
  } catch {
    refuse(text("failed"));
  } finally {
    for (const each of form.querySelectorAll("button")) each.disabled = false;
  }
}

main.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.dataset.swap === undefined) return;
  event.preventDefault();
  send(form, /** @type {HTMLElement | null} */ (event.submitter));
});
main.addEventListener("input", (event) => {
  if (event.target instanceof Element && event.target.closest("[data-held]")) isDirty = true;
});

async function refresh() {
  if (isDirty) return refuse(text("changed_elsewhere"));
  const answer = await fetch(location.href).catch(() => null);
  if (answer?.ok) swap(await answer.text());
  else setTimeout(refresh, RETRY_MS);
}

/** @param {{percent: number, note: string | null, expected_seconds: number | null}} now */
function progress(now) {
  find("[data-percent-bar]")?.setAttribute("value", String(now.percent));
  for (const [name, shown] of Object.entries({
    percent: String(now.percent),
    note: now.note || "",
    expected: now.expected_seconds === null ? "" : text("left", { time: duration(now.expected_seconds) }),
  })) {
    const place = find(`[data-${name}]`);
    if (place) place.textContent = shown;
  }
}

function listen() {
  stop();
  const work = find("[data-events]");
  if (!work) return;
  const shown = find("[data-stream]");
  if (shown) shown.hidden = false;
  const changed = afterLast(refresh, 120);
  const seen = /** @type {[string, number]} */ ([work.dataset.work, Number(work.dataset.seq)]);
  const handlers = { message: changed, end: changed, progress };
  stop = follow(work.dataset.events || "", handlers, stateShown(shown), [seen]);
}

/** The outline of a sound, and a line where it plays. @param {HTMLElement} box */
async function draw(box) {
  const audio = /** @type {HTMLAudioElement} */ (box.querySelector("audio"));
  const canvas = /** @type {HTMLCanvasElement} */ (box.querySelector("canvas"));
  const pen = canvas.getContext("2d");
  const answer = await fetch(audio.src).catch(() => null);
  if (!answer?.ok || !pen) return;
  const decoded = await new OfflineAudioContext(1, 1, 8000).decodeAudioData(await answer.arrayBuffer()).catch(() => null);
  if (!decoded) return;
  const samples = decoded.getChannelData(0);
  const bars = canvas.width / 4;
  const peaks = Array.from({ length: bars }, (_, bar) => {
    const part = samples.subarray((bar * samples.length) / bars, ((bar + 1) * samples.length) / bars);
    return part.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
  });
  const paint = () => {
    const colours = getComputedStyle(canvas);
    const played = audio.currentTime / (audio.duration || 1);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    peaks.forEach((peak, bar) => {
      const height = Math.max(2, peak * canvas.height);
      pen.fillStyle = bar / bars < played ? colours.color : colours.borderColor;
      pen.fillRect(bar * 4, (canvas.height - height) / 2, 3, height);
    });
  };
  canvas.hidden = false;
  paint();
  audio.addEventListener("timeupdate", paint);
  canvas.addEventListener("click", (event) => {
    audio.currentTime = (event.offsetX / canvas.clientWidth) * audio.duration;
    paint();
  });
}

/** The second at which the film stands is the one of the form. */
function frames() {
  const film = find("video");
  const seconds = find("[data-frame] [name=seconds]");
  if (!(film instanceof HTMLVideoElement) || !(seconds instanceof HTMLInputElement)) return;
  const take = () => (seconds.value = film.currentTime.toFixed(1));
  film.addEventListener("timeupdate", take);
  film.addEventListener("seeked", take);
}

function begin() {
  listen();
  frames();
  for (const box of main.querySelectorAll("[data-sound]")) draw(/** @type {HTMLElement} */ (box));
  for (const audio of main.querySelectorAll("audio")) {
    audio.addEventListener("play", () => {
      for (const other of main.querySelectorAll("audio")) if (other !== audio) other.pause();
    });
  }
  document.dispatchEvent(new Event("work"));
}
begin();
