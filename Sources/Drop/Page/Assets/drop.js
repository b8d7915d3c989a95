"use strict";

// Sends files to the receiver that served this page: offers them, waits until the person there
// agrees, then sends the bytes of up to three at a time, going on where the receiver stands.

const root = document.documentElement;
const find = (selector) => document.querySelector(selector);
const base = find("#drop").dataset.base;
const receiver = find("#drop").dataset.receiver;
const list = find("#files");
const inputs = [...document.querySelectorAll("input[type=file]")];
const items = [];
const wait = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });
let sending = 0;
let offering = Promise.resolve();
let isOver = false;

root.classList.add("js");

function make(name, className, text = "") {
  const element = document.createElement(name);
  element.className = className;
  // Names come from files: they are text, never markup.
  element.textContent = text;
  return element;
}

function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  let value = bytes / 1000;
  let unit = 0;
  for (; value >= 999.5 && unit < 2; unit += 1) value /= 1000;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${["kB", "MB", "GB"][unit]}`;
}

const files = (number) => (number === 1 ? "1 file" : `${number} files`);

/** A request; resolves with status, JSON (or null) and the offset, status 0 when none came. */
function request(method, path, body, onProgress) {
  return new Promise((resolve) => {
    // XMLHttpRequest, since `fetch` cannot tell how much has been sent.
    const sent = new XMLHttpRequest();
    sent.open(method, base + path);
    if (method !== "GET" && method !== "HEAD") sent.setRequestHeader("X-Tote", "1");
    if (typeof body === "string") sent.setRequestHeader("Content-Type", "application/json");
    if (onProgress) sent.upload.onprogress = (event) => onProgress(event.loaded);
    sent.onloadend = () => {
      let json = null;
      try {
        json = JSON.parse(sent.responseText);
      } catch {
        // No JSON: the status says enough.
      }
      const offset = Number.parseInt(sent.getResponseHeader("Upload-Offset"), 10);
      resolve({
        status: sent.status, json, offset: Number.isNaN(offset) ? null : offset,
        state: sent.getResponseHeader("Upload-State"),
        after: Number.parseInt(sent.getResponseHeader("Retry-After"), 10) || 0,
      });
    };
    sent.send(body);
  });
}

/** Whether trying again may help. */
const mayPass = (status) => status === 0 || status === 429 || status >= 500 && status !== 507;

function reason(answer, otherwise) {
  const text = answer.json?.error?.message ?? answer.json?.reason;
  if (text) return text[0].toUpperCase() + text.slice(1);
  if (answer.status === 0) return "The connection was lost";
  if (answer.status === 404 || answer.status === 410) return "The code on the screen has expired";
  return otherwise;
}

function device() {
  const match = /iPhone|iPad|Android|Macintosh|Windows|CrOS|Linux/.exec(navigator.userAgent);
  return { Macintosh: "Mac", CrOS: "Chromebook" }[match?.[0]] ?? match?.[0] ?? "a browser";
}

function show(item, state, text) {
  item.state = state;
  item.row.className = state;
  item.note.textContent = text;
  item.again.hidden = state !== "failed";
  item.bar.hidden = state === "saved" || state === "failed" || state === "refused";
  summarize();
}

function summarize() {
  const number = (...states) => items.filter((item) => states.includes(item.state)).length;
  const saved = number("saved");
  const bad = number("failed", "refused");
  const open = items.length - saved - bad;
  let text = "";
  if (number("asking", "offered")) text = `Waiting until ${receiver} agrees…`;
  else if (open) text = `Sending: ${saved} of ${items.length} done`;
  else if (bad) text = `${files(saved)} sent, ${bad} not`;
  else if (saved) text = `${saved === 1 ? "The file is" : `All ${saved} files are`} on ${receiver}`;
  const note = find("#note");
  if (note.textContent !== text) note.textContent = text;
  note.className = !open && saved && !bad ? "good" : "";
  find("#done").hidden = isOver || open > 0 || !saved;
}

function add(chosen) {
  if (!chosen.length || isOver) return;
  const added = chosen.map((file) => {
    const item = {
      file, offset: 0, tries: 0, row: make("li", ""), bar: document.createElement("progress"),
      note: make("span", "note"), again: make("button", "again", "Try again"),
    };
    item.bar.max = Math.max(1, file.size);
    item.bar.value = 0;
    item.bar.setAttribute("aria-label", file.name);
    item.again.type = "button";
    item.again.onclick = () => retry(item);
    const name = make("span", "name", file.name);
    name.dir = "auto";
    item.row.append(name, make("span", "size", size(file.size)), item.bar, item.note, item.again);
    list.append(item.row);
    items.push(item);
    return item;
  });
  for (const item of added) show(item, "offered", "");
  // One question at a time: the receiver's person reads them one after the other.
  offering = offering.then(() => offer(added));
}

function retry(item) {
  item.tries = 0;
  if (item.id) {
    show(item, "open", "");
    advance();
  } else {
    show(item, "offered", "");
    offering = offering.then(() => offer([item]));
  }
}

/** Takes what the receiver says of a file. */
function learn(item, told) {
  item.id = told.id;
  if (told.offset !== undefined) item.offset = told.offset;
  item.bar.value = item.offset;
  if (told.state === "saved") show(item, "saved", told.saved ?? "Sent");
  else if (told.state === "refused") show(item, "refused", told.reason || "Not wanted");
  else if (told.state === "open") show(item, "open", "");
  else show(item, "asking", "");
}

/** Files of an offer whose answer was lost, as the receiver's status tells them. */
async function adopt(added) {
  const { json } = await request("GET", "status");
  const known = new Set(items.map((item) => item.id));
  const free = (json?.files ?? []).filter((told) => !known.has(told.id));
  const pairs = added.map((item) => {
    const at = free.findIndex((told) => told.name === item.file.name && told.size === item.file.size);
    return at < 0 ? null : [item, free.splice(at, 1)[0]];
  });
  if (!pairs.every(Boolean)) return false;
  for (const [item, told] of pairs) learn(item, told);
  return true;
}

async function offer(added) {
  const body = JSON.stringify({
    device: device(),
    files: added.map(({ file }) => ({
      name: file.name, size: file.size, type: file.type, modified: file.lastModified || null,
    })),
  });
  let answer;
  for (let tries = 1; ; tries += 1) {
    answer = await request("POST", "offer", body);
    if (!mayPass(answer.status)) break;
    if (tries > 6) break;
    await wait(Math.max(answer.after, Math.min(2 ** tries, 15)) * 500);
    if (await adopt(added)) {
      answer = null;
      break;
    }
  }
  if (answer && answer.json?.files?.length !== added.length) {
    const text = answer.status === 409
      ? "Another device is sending to this computer" : reason(answer, "The receiver did not take it");
    for (const item of added) show(item, "failed", text);
    return;
  }
  if (answer) added.forEach((item, at) => learn(item, answer.json.files[at]));
  advance();
  await agreement(added);
}

/** Asks every second until the receiver's person has decided about each file. */
async function agreement(added) {
  let lost = 0;
  for (;;) {
    const asking = added.filter((item) => item.state === "asking");
    if (!asking.length) return;
    await wait(1000);
    const { status, json } = await request("GET", "status");
    if (json?.files) {
      lost = 0;
      const told = new Map(json.files.map((one) => [one.id, one]));
      for (const item of asking) if (told.has(item.id)) learn(item, told.get(item.id));
      advance();
    } else {
      lost += 1;
      if (mayPass(status) && lost < 60) continue;
      for (const item of asking) show(item, "failed", reason({ status }, "The receiver has gone"));
    }
  }
}

function advance() {
  while (sending < 3) {
    const next = items.find((item) => item.state === "open");
    if (!next) return;
    sending += 1;
    show(next, "sending", "");
    stayAwake();
    send(next).finally(() => {
      sending -= 1;
      advance();
    });
  }
}

async function send(item) {
  for (;;) {
    const from = item.offset;
    const answer = await request(
      "PATCH", `files/${item.id}?offset=${from}`, item.file.slice(from), (loaded) => {
        const there = Math.min(from + loaded, item.file.size);
        item.bar.value = there;
        const share = item.file.size ? Math.floor(100 * there / item.file.size) : 100;
        item.note.textContent = share < 100 ? `${share} %` : "Checking…";
      });
    if (answer.status === 200) {
      const name = answer.json?.name;
      show(item, "saved", name && name !== item.file.name ? `Sent, as ${name}` : "Sent");
      return;
    }
    const told = answer.status === 204 || answer.status === 409 && answer.offset !== null
      ? answer : await standing(item, answer);
    if (!told) return;
    if (told.state === "saved") {
      show(item, "saved", "Sent");
      return;
    }
    // Only tries in a row that bring nothing count.
    if (told.offset > from) item.tries = 0;
    else item.tries += 1;
    item.offset = told.offset;
    if (item.tries > 8) {
      show(item, "failed", reason(answer, "The receiver did not take it"));
      return;
    }
  }
}

/** Where the receiver stands after a failure, once it can be reached; null when it is of no use. */
async function standing(item, failure) {
  let answer = failure;
  while (mayPass(answer.status)) {
    item.tries += 1;
    if (item.tries > 8) break;
    item.note.textContent = "Interrupted: trying again…";
    await wait(Math.max(answer.after * 1000, Math.min(500 * 2 ** item.tries, 15000)));
    answer = await request("HEAD", `files/${item.id}`);
    if (answer.status === 200 && answer.offset !== null) return answer;
  }
  show(item, "failed", reason(failure.status ? failure : answer, "The receiver did not take it"));
  return null;
}

/** Keeps the phone's screen on while something is on its way, where the browser can. */
let lock = null;
async function stayAwake() {
  if (lock || !navigator.wakeLock) return;
  try {
    lock = await navigator.wakeLock.request("screen");
    lock.onrelease = () => { lock = null; };
  } catch {
    lock = null;
  }
}

for (const input of inputs) {
  input.onchange = () => {
    add([...input.files]);
    // The same file can be chosen again.
    input.value = "";
  };
}

find("form").onsubmit = (event) => event.preventDefault();

find("#done").onclick = async () => {
  find("#done").disabled = true;
  const answer = await request("POST", "done");
  find("#done").disabled = false;
  if (mayPass(answer.status)) {
    find("#note").textContent = "The connection was lost: try again";
    return;
  }
  isOver = true;
  lock?.release();
  find("form").hidden = true;
  for (const item of items) item.again.hidden = true;
  summarize();
  find("#over").hidden = false;
  find("#over").focus();
};

addEventListener("beforeunload", (event) => {
  if (items.some((item) => ["offered", "asking", "open", "sending"].includes(item.state))) {
    event.preventDefault();
  }
});
