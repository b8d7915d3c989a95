// Small tools that the rest of the page is written with. Nothing here ever parses HTML.

/** The first element that matches, within `root`. */
const find = (selector, root = document) => root.querySelector(selector);

/** Makes an element; properties beginning with `data-`, `aria-` or `role` become attributes. */
function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (/^(data-|aria-|role$|dir$)/.test(key)) element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

/** Makes an icon out of the page's drawings. */
function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  drawing.setAttribute("class", "icon");
  drawing.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", `#icon-${name}`);
  drawing.append(use);
  return drawing;
}

/** Says something to people who listen to the page instead of looking at it. */
function announce(text) {
  // What lies outside an open dialog is silent, so each dialog has a region of its own.
  const open = [...document.querySelectorAll("dialog[open]")].pop();
  const region = (open && find("[role=status]", open)) || find("#announcer");
  // The same text twice in a row is read twice only if it was gone in between.
  region.textContent = "";
  setTimeout(() => { region.textContent = text; }, 60);
}

/** Shows a sentence at the foot of the page for a while; mistakes stay longer. */
function toast(text, isError = false) {
  const note = make("p", { className: isError ? "toast bad" : "toast" }, text);
  const shelf = find("#toasts");
  // An open dialog covers the page: the shelf goes where it can be seen.
  const open = [...document.querySelectorAll("dialog[open]")].pop();
  (open ?? document.body).append(shelf);
  shelf.append(note);
  setTimeout(() => note.remove(), isError ? 9000 : 4500);
}

// What a dialog leaves unsaid goes on outside.
document.addEventListener("close", () => document.body.append(find("#toasts")), true);

/** A sentence as people write it: a capital at its head, a stop at its end. */
function sentence(text) {
  const trimmed = String(text).trim();
  if (!trimmed) return "";
  const whole = trimmed[0].toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

/** A number of things: "1 photo", "3 photos". */
const count = (number, thing) => `${number} ${thing}${number === 1 ? "" : "s"}`;

/** A size in bytes for people. */
function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ["kB", "MB", "GB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < 2) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** A moment in the reader's own words and time zone. */
function moment(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  return date.toLocaleString(undefined, { dateStyle: "long", timeStyle: "short" });
}

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const prefersStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
