// @ts-check
// The page of one work: progress as it comes, forms without losing one's place, sounds drawn, frames picked.
import { afterLast, duration, element, localTimes, text } from "./page.js";
import { follow, stateShown } from "./stream.js";

const [RETRY_MS, BARS] = [3000, 180];
// The order has arrived: its draft is kept no longer, and Back leads past its form.
sessionStorage.setItem("arrived", location.pathname.split("/").pop() || "");
for (const name of Object.keys(localStorage))
  if (name.startsWith("draft:") && localStorage.getItem(name)?.includes(`"task":"${location.pathname.split("/").pop()}"`)) localStorage.removeItem(name);
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const work = /** @type {HTMLElement} */ (main.querySelector(".work"));
const said = document.body.appendChild(Object.assign(element("p", "visually-hidden"), { ariaLive: "polite" }));
/** What each sound looks like, and where it is played from without another download. @type {Map<string, Promise<{address: string, peaks: number[]}>>} */
const sounds = new Map();
const parsed = (/** @type {string} */ html) => new DOMParser().parseFromString(html, "text/html");
const asSent = parsed(main.outerHTML);
// Whether words are typed that no form has sent; whether a stream runs; the seq of its last event.
let [isDirty, isFollowed, heard, ticking] = [false, false, 0, 0];
/** @param {string} selector @returns {HTMLElement | null} */
const find = (selector) => main.querySelector(selector);

/** What the server has now is shown: these parts, else what differs of a work that is still made, else all. @param {string} html @param {string} [parts] */
function swap(html, parts) {
  const page = parsed(html);
  const fresh = /** @type {HTMLElement} */ (page.querySelector(".work"));
  find("video[poster]")?.setAttribute("poster", page.querySelector("video")?.getAttribute("poster") || "");
  const isMade = work.dataset.scene === "live" && fresh.dataset.scene === "live";
  document.title = page.title;
  if (fresh.dataset.scene !== work.dataset.scene && document.hidden && "Notification" in window && Notification.permission === "granted")
    new Notification(page.title, { tag: work.dataset.work });
  for (const part of page.querySelectorAll(parts || (isMade ? "[data-part]" : "[data-part], #scene"))) {
    const shown = document.getElementById(part.id);
    const before = asSent.getElementById(part.id);
    if (!shown || part.innerHTML === before?.innerHTML) continue;
    shown.replaceChildren(...document.importNode(part, true).childNodes);
    localTimes(shown);
    before?.replaceWith(part);
  }
  Object.assign(work.dataset, fresh.dataset);
  isDirty = false;
  refuse("");
  begin();
  say();
}

/** What had the focus has it again, or what has taken its place. @param {Element | null} from */
function refocus(from) {
  if (!from || from === document.body || from === document.activeElement) return;
  (document.getElementById(from.id) || (from.isConnected ? /** @type {HTMLElement} */ (from) : main)).focus();
}

/** The state, what is made now and each quarter of it are told to who hears the page. */
function say() {
  const quarter = Math.floor(Number(find("[data-percent]")?.textContent) / 25) * 25;
  const sentence = [...[...main.querySelectorAll("[data-said]")].map((each) => each.textContent?.trim()), quarter && `${quarter}%`].filter(Boolean).join(", ");
  if (said.textContent !== sentence) said.textContent = sentence;
}

/** @param {string} sentence */
function refuse(sentence) {
  const place = Object.assign(find("[data-refused]") || {}, { textContent: sentence, hidden: !sentence });
  if (place instanceof HTMLElement && sentence) place.scrollIntoView({ block: "center" });
}

/** @param {HTMLFormElement} form @param {HTMLElement | null} button */
async function send(form, button) {
  const given = new URLSearchParams(/** @type {any} */ (new FormData(form, button)));
  let from = document.activeElement;
  main.inert = true;
  try {
    const answer = await fetch(form.action, { method: "POST", body: given });
    if (!answer.headers.get("Content-Type")?.startsWith("text/html")) return refuse(answer.status === 401 ? text("logged_out") : (await answer.json()).detail);
    swap(await answer.text(), answer.ok ? form.dataset.swap : "");
    if (answer.ok) return;
    isDirty = true;
    const conflict = find("#conflict");
    from = conflict || from;
    refuse(conflict ? "" : find(".error")?.textContent || text("failed"));
  } catch {
    refuse(text("failed"));
  } finally {
    main.inert = false;
    refocus(from);
    changed();
  }
}

main.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.dataset.swap === undefined) return;
  event.preventDefault();
  if (isDirty && form.dataset.held === undefined && !confirm(text("unsaved"))) return;
  send(form, /** @type {HTMLElement | null} */ (event.submitter));
});
main.addEventListener("input", ({ target }) => (isDirty ||= target instanceof Element && !!target.closest("[data-held]")));
addEventListener("beforeunload", (event) => isDirty && event.preventDefault());

const changed = afterLast(async () => {
  if (main.inert || heard <= Number(work.dataset.seq)) return;
  const answer = await fetch(location.href).catch(() => null);
  const html = answer?.ok ? await answer.text().catch(() => "") : "";
  if (main.inert) return;
  if (answer?.status === 401) return refuse(text("logged_out"));
  if (isDirty) return refuse(text("changed_elsewhere"));
  if (!html) return setTimeout(changed, RETRY_MS);
  const from = document.activeElement;
  swap(html);
  refocus(from);
  changed();
}, 120);

/** @param {{percent: number, stage: string, note: string | null, expected_seconds: number | null}} now */
function progress(now) {
  find("[data-percent-bar]")?.setAttribute("value", String(now.percent));
  const stage = find(`[data-stage="${now.stage}"] .stage-name`)?.textContent || now.stage;
  for (const [name, shown] of Object.entries({ percent: now.percent, note: now.note || "" }))
    find(`[data-${name}]`)?.replaceChildren(String(shown));
  clearInterval(ticking);
  let left = now.expected_seconds;
  const tell = () => {
    find("[data-expected]")?.replaceChildren(left === null ? "" : text(left ? "left" : "overdue", { stage, time: duration(left) }));
    left = left && left - 1;
  };
  tell();
  ticking = setInterval(tell, 1000);
  say();
}

/** One stream, for as long as the work is being made or waits. */
function listen() {
  if (isFollowed || !["live", "held"].includes(work.dataset.scene || "")) return;
  isFollowed = true;
  const shown = stateShown(find("[data-stream]"));
  const message = (/** @type {{seq: number}} */ event) => ((heard = event.seq), changed());
  const told = (/** @type {import("./stream.js").StreamState} */ state) => ((isFollowed = state !== "ended"), shown(state));
  follow(work.dataset.events || "", { message, progress }, told, [[work.dataset.work || "", Number(work.dataset.seq)]]);
}

/** @param {string} address */
async function load(address) {
  const blob = await (await fetch(address)).blob();
  const samples = (await new OfflineAudioContext(1, 1, 8000).decodeAudioData(await blob.arrayBuffer())).getChannelData(0);
  const part = samples.length / BARS;
  const peaks = Array.from({ length: BARS }, (_, bar) => samples.subarray(bar * part, (bar + 1) * part).reduce((most, each) => Math.max(most, Math.abs(each)), 0));
  return { address: URL.createObjectURL(blob), peaks };
}

/** The outline of a sound, and a line where it plays. @param {Element} box */
async function draw(box) {
  const audio = /** @type {HTMLAudioElement} */ (box.querySelector("audio"));
  const canvas = /** @type {HTMLCanvasElement} */ (box.querySelector("canvas"));
  const pen = canvas.getContext("2d");
  const loading = sounds.get(audio.src) || load(audio.src);
  const sound = await (sounds.set(audio.src, loading), loading.catch(() => null));
  if (!sound || !pen) return;
  const paint = () => {
    const colours = getComputedStyle(canvas);
    const played = audio.currentTime / (audio.duration || 1);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    sound.peaks.forEach((peak, bar) => {
      const height = Math.max(2, peak * canvas.height);
      pen.fillStyle = bar / BARS < played ? colours.color : colours.borderColor;
      pen.fillRect(bar * 4, (canvas.height - height) / 2, 3, height);
    });
  };
  if (audio.paused) audio.src = sound.address;
  canvas.hidden = false;
  paint();
  audio.addEventListener("timeupdate", paint);
  canvas.addEventListener("click", (event) => ((audio.currentTime = (event.offsetX / canvas.clientWidth) * audio.duration), paint()));
}

main.addEventListener("play", ({ target }) => main.querySelectorAll("audio").forEach((each) => each !== target && each.pause()), true);
for (const name of ["timeupdate", "seeked"]) main.addEventListener(name, ({ target }) => {
  const seconds = find("[data-frame] [name=seconds]");
  if (target instanceof HTMLVideoElement && seconds instanceof HTMLInputElement) seconds.value = target.currentTime.toFixed(1);
}, true);

/** On a phone, its own sheet of apps (KakaoTalk among them) takes the address. */
function offerShare() {
  const button = find("[data-share]");
  if (!button || !navigator.share) return;
  button.hidden = false;
  button.onclick = () => navigator.share({ title: button.dataset.share, url: /** @type {HTMLInputElement} */ (find("#share-address")).value }).catch(() => {});
}

/** Who allows it is notified as soon as the work waits for a person or has ended. */
function offerNotification() {
  const button = find("[data-notify]");
  if (!button || !("Notification" in window)) return;
  button.hidden = Notification.permission !== "default";
  button.onclick = async () => (await Notification.requestPermission(), offerNotification());
}

function begin() {
  listen();
  offerNotification();
  offerShare();
  for (const box of main.querySelectorAll("[data-sound]:has(canvas[hidden])")) draw(box);
  document.dispatchEvent(new Event("work"));
}
begin();
