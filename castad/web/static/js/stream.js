// @ts-check
// A stream of events that misses none: it is read by fetch, since an EventSource sees neither the server's signs of
// life nor its refusals, and cannot say again after which event it goes on once it was refused.
import { text } from "./page.js";

const SILENT_MS = 8000; // the server sends at least a comment each second
const BEHIND_MS = 5000;
const LONGEST_WAIT_MS = 8000;
const HIDDEN_MS = 30000; // a browser has few connections, which all of its tabs share
const FINAL = [204, 401, 403, 404];

/** @typedef {"live" | "reconnecting" | "behind" | "ended" | "logged_out"} StreamState */

/**
 * Follow a stream until it ends; returns what stops it.
 * Every event of an order (its data has task_id and seq) reaches its handler once, in the order of seq.
 * @param {string} address
 * @param {Record<string, (data: any, id: string) => void>} handlers by the event's name; `message` has no name
 * @param {(state: StreamState) => void} [told] the state, whenever it changes
 * @param {Iterable<[string, number]>} [seen] the last seq that is known already, by task_id
 * @returns {() => void}
 */
export function follow(address, handlers, told = () => {}, seen = []) {
  const stop = new AbortController();
  const last = new Map(seen);
  let [id, state] = ["", ""];
  let [late, hiding, isAway] = [0, 0, false];
  let [leave, goOn] = [() => {}, () => {}];

  function look() {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(() => ((isAway = true), leave()), HIDDEN_MS);
    else (isAway = false), goOn();
  }

  /** @param {StreamState} now */
  function tell(now) {
    if (now === state) return;
    state = now;
    told(now);
  }

  /** @param {string} frame @returns {boolean} whether it is the last one */
  function take(frame) {
    let name = "message";
    let data = "";
    for (const line of frame.split("\n")) {
      if (line.startsWith("event: ")) name = line.slice(7);
      else if (line.startsWith("data: ")) data += line.slice(6);
      else if (line.startsWith("id: ")) id = line.slice(4);
    }
    if (!data) return false;
    const content = JSON.parse(data);
    if (name === "message" && content.task_id && content.seq) {
      if (content.seq <= (last.get(content.task_id) ?? 0)) return false;
      last.set(content.task_id, content.seq);
    }
    handlers[name]?.(content, id);
    return name === "end";
  }

  /** One connection. @returns {Promise<StreamState>} what follows it */
  async function connect() {
    const connection = new AbortController();
    const signal = AbortSignal.any([connection.signal, stop.signal]);
    leave = () => connection.abort();
    let silent = setTimeout(leave, SILENT_MS);
    try {
      /** @type {Record<string, string>} */
      const headers = { Accept: "text/event-stream", ...(id && { "Last-Event-ID": id }) };
      const answer = await fetch(address, { headers, signal, cache: "no-store" });
      if (answer.status === 422) id = ""; // the ledger was put back to an earlier state
      if (FINAL.includes(answer.status)) return [204, 404].includes(answer.status) ? "ended" : "logged_out";
      if (!answer.ok || !answer.body) return "reconnecting";
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return "reconnecting";
        clearTimeout(silent);
        silent = setTimeout(leave, SILENT_MS);
        clearTimeout(late);
        late = 0;
        tell("live");
        const frames = (rest + value).split("\n\n");
        rest = frames.pop() || "";
        for (const frame of frames) if (take(frame)) return "ended";
      }
    } catch {
      return "reconnecting";
    } finally {
      clearTimeout(silent);
      leave();
    }
  }

  async function run() {
    for (let tries = 0; !stop.signal.aborted; tries++) {
      if (isAway) await new Promise((resolve) => (goOn = () => resolve(null)));
      const next = await connect();
      if (stop.signal.aborted) return;
      if (next !== "reconnecting") return clearTimeout(late), tell(next);
      if (isAway) continue;
      if (state === "live" || state === "") tries = 0;
      if (state !== "behind") tell("reconnecting");
      late ||= setTimeout(() => tell("behind"), BEHIND_MS);
      const wait = Math.min(500 * 2 ** tries, LONGEST_WAIT_MS) * (0.75 + Math.random() / 2);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  document.addEventListener("visibilitychange", look, { signal: stop.signal });
  look();
  run();
  return () => {
    clearTimeout(late);
    stop.abort();
  };
}

/** The element that says in words how a stream is. @param {HTMLElement | null} element */
export function stateShown(element) {
  return (/** @type {StreamState} */ state) => {
    if (element) element.dataset.state = state;
    if (element && !(element.hidden = state === "ended")) element.textContent = text(state);
  };
}
