// Photos on their way to the server.

/** The shelf of uploads: three at a time, each with its progress. */
class Uploads {
  static atOnce = 3;
  static notes = {
    damaged: "some of its data was damaged",
    missing_pixels: "part of it was missing",
    extra_pictures_dropped: "a second picture in the file was left out",
    trailing_data_dropped: "the film behind it was left out",
    profile_ignored: "its colours may differ",
    reduced: "made smaller",
  };

  items = [];
  running = 0;

  constructor(stream, account, limits) {
    this.stream = stream;
    this.account = account;
    this.limits = limits;
    this.tray = find("#uploads");
    this.list = find("ul", this.tray);
    find(".dismiss", this.tray).addEventListener("click", () => this.dismiss());
    addEventListener("beforeunload", (event) => { if (this.isBusy) event.preventDefault(); });
  }

  get isBusy() { return this.items.some((item) => item.state === "waiting" || item.state === "going"); }

  add(chosen) {
    for (const { file, title } of chosen) {
      const item = { file, title, state: "waiting", tries: 0 };
      item.address = URL.createObjectURL(file);
      const preview = make("img", { alt: "", src: item.address });
      preview.addEventListener("error", () => preview.replaceWith(icon("photo")), { once: true });
      item.bar = make("progress", { max: 1, value: 0, "aria-label": `Upload of ${title || file.name}` });
      item.text = make("span", { className: "state" }, "Waiting");
      item.again = make("button", { type: "button", className: "quiet", hidden: true }, "Try again");
      item.again.addEventListener("click", () => this.retry(item));
      const name = make("span", { className: "name", dir: "auto" }, title || file.name || "Photo");
      item.row = make(
        "li", {}, preview, make("div", {}, name, item.bar, item.text), item.again);
      this.items.push(item);
      this.list.append(item.row);
    }
    this.tray.hidden = false;
    announce(`Uploading ${count(chosen.length, "photo")}`);
    this.advance();
  }

  retry(item) {
    item.state = "waiting";
    item.tries = 0;
    item.again.hidden = true;
    item.row.classList.remove("bad");
    item.text.textContent = "Waiting";
    this.advance();
  }

  /** Starts what may start, and tells how things stand. */
  advance() {
    while (this.running < Uploads.atOnce) {
      const next = this.items.find((item) => item.state === "waiting");
      if (!next) break;
      this.running += 1;
      next.state = "going";
      this.send(next).finally(() => {
        this.running -= 1;
        this.advance();
      });
    }
    this.summarize();
  }

  summarize() {
    const number = (state) => this.items.filter((item) => item.state === state).length;
    const done = number("done");
    const bad = number("bad");
    const title = find("h2", this.tray);
    if (this.isBusy) {
      title.textContent = `Uploading ${Math.min(done + bad + 1, this.items.length)} of ${this.items.length}`;
    } else if (this.items.length) {
      const known = this.items.filter((item) => item.isKnown).length;
      const parts = [
        done > known ? `${count(done - known, "photo")} added` : "",
        known ? `${known} here already` : "", bad ? `${bad} failed` : "",
      ];
      title.textContent = parts.filter(Boolean).join(", ");
      announce(title.textContent);
      if (!bad) setTimeout(() => { if (!this.isBusy) this.dismiss(); }, 4000);
    }
    find(".dismiss", this.tray).hidden = this.isBusy;
  }

  async send(item) {
    item.row.scrollIntoView?.({ block: "nearest" });
    try {
      item.text.textContent = "Preparing";
      item.jpeg ??= await asJPEG(item.file, this.limits.pixels);
      if (this.limits.bytes && item.jpeg.size > this.limits.bytes) {
        throw new ServerError(
          413, "too_large", `${size(item.jpeg.size)} are more than the limit of ${size(this.limits.bytes)}`);
      }
      const hash = await digest(item.jpeg).catch(() => null);
      const known = hash && await Api.known(hash);
      this.finish(item, known ? { ...known, duplicate: true } : await this.transfer(item));
    } catch (error) {
      this.fail(item, error);
    }
  }

  async transfer(item) {
    for (;;) {
      try {
        return await Api.upload(item.jpeg, item.title, (share) => {
          item.bar.value = share;
          item.text.textContent = share < 1 ? `${Math.floor(share * 100)} %` : "Almost there";
        });
      } catch (error) {
        item.tries += 1;
        const isBusy = error.status === 429 || error.status === 503;
        if (!(isBusy || error.status === 0) || item.tries > (isBusy ? 20 : 3)) throw error;
        item.text.textContent = isBusy ? "The server is busy: waiting" : "Connection lost: waiting";
        await wait(1000 * (error.retryAfter ?? Math.min(2 ** item.tries, 20)) * (1 + Math.random() / 4));
      }
    }
  }

  finish(item, photo) {
    item.state = "done";
    item.isKnown = photo.duplicate;
    item.bar.value = 1;
    item.row.classList.add("done");
    const notes = (photo.notes ?? []).map((note) => Uploads.notes[note]).filter(Boolean);
    const text = photo.duplicate ? "It was here already" : ["Added", ...notes].join("; ");
    item.text.textContent = text;
    item.jpeg = null;
    this.stream.insert(photo, true);
  }

  fail(item, error) {
    item.state = "bad";
    item.row.classList.add("bad");
    item.text.textContent = sentence(error.message);
    item.bar.value = 0;
    // What the picture itself is guilty of does not change by sending it again.
    const isFinal = error.status === 413 || error.status === 415 || error.status === 422
      || error.status === 400 || error.code === "not_jpeg";
    item.again.hidden = isFinal;
    announce(`${item.title || item.file.name}: ${error.message}`);
    if (error.status !== 401) return;
    this.account.become(null);
    this.account.ask("login", () => this.retry(item), "You have been logged out meanwhile.");
  }

  dismiss() {
    for (const item of this.items) URL.revokeObjectURL(item.address);
    this.items = [];
    this.list.replaceChildren();
    this.tray.hidden = true;
  }
}
