// Choosing photos: by the picker, by dropping them on the page, or by pasting.

/** The dialog in which photos get their titles before they are sent. */
class Composer {
  /** The files chosen so far, each with its field. */
  picks = [];

  constructor(account, uploads) {
    this.account = account;
    this.uploads = uploads;
    this.dialog = find("#composer");
    this.list = find(".picks", this.dialog);
    this.form = find("form", this.dialog);
    this.input = find("#files");
    this.listen();
  }

  listen() {
    document.addEventListener("click", (event) => {
      const action = event.target.closest("[data-compose]")?.dataset.compose;
      if (action === "choose") this.choose();
      else if (action === "cancel") this.dialog.close();
    });
    this.input.addEventListener("change", () => {
      this.add([...this.input.files]);
      // The same file can be chosen again.
      this.input.value = "";
    });
    this.dialog.addEventListener("close", () => this.clear());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const chosen = this.picks.map(({ file, field }) => ({ file, title: field.value.trim() }));
      this.dialog.close();
      this.uploads.add(chosen);
    });
    addEventListener("paste", (event) => {
      const files = [...event.clipboardData?.files ?? []];
      if (!files.length) return;
      event.preventDefault();
      this.add(files);
    });
    this.listenToDrops();
  }

  listenToDrops() {
    const veil = find("#drop");
    const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
    let depth = 0;
    const show = (change) => {
      depth = change === 0 ? 0 : Math.max(0, depth + change);
      veil.hidden = depth === 0;
    };
    addEventListener("dragenter", (event) => { if (hasFiles(event)) show(1); });
    addEventListener("dragleave", (event) => { if (hasFiles(event)) show(-1); });
    addEventListener("dragover", (event) => { if (hasFiles(event)) event.preventDefault(); });
    addEventListener("drop", (event) => {
      show(0);
      if (!hasFiles(event)) return;
      event.preventDefault();
      this.add([...event.dataTransfer.files]);
    });
  }

  choose() {
    if (this.account.user !== null) {
      this.input.click();
      return;
    }
    // The picker opens only upon a click of its own, hence the empty composer.
    this.account.ask("login", () => this.open(), "To add photos, log in first.");
  }

  open() {
    this.update();
    if (!this.dialog.open) this.dialog.showModal();
  }

  add(files) {
    const pictures = files.filter((file) => file.type.startsWith("image/") || !file.type);
    const others = files.length - pictures.length;
    if (others) toast(`${count(others, "file")} left out: only pictures can be added.`, true);
    if (!pictures.length) return;
    if (this.account.user === null) {
      this.account.ask("login", () => this.add(pictures), "To add photos, log in first.");
      return;
    }
    // Another dialog is open, a photo perhaps: this one comes on top of it.
    for (const file of pictures) this.pick(file);
    this.open();
    const first = this.picks.at(-pictures.length);
    first?.field.focus();
  }

  pick(file) {
    const address = URL.createObjectURL(file);
    const preview = make("img", { alt: "", src: address });
    preview.addEventListener("error", () => preview.replaceWith(icon("photo")), { once: true });
    const field = make("input", {
      type: "text", maxLength: 300, placeholder: "Add a title", autocomplete: "off", dir: "auto",
    });
    const remove = make(
      "button", { type: "button", className: "quiet round", "aria-label": `Leave out ${file.name}` },
      icon("close"));
    const item = make("li", {}, preview, field, remove);
    const pick = { file, field, item, address };
    remove.addEventListener("click", () => {
      this.drop(pick);
      (this.picks[0]?.field ?? find(".more", this.dialog)).focus();
    });
    this.picks.push(pick);
    this.list.append(item);
  }

  drop(pick) {
    URL.revokeObjectURL(pick.address);
    pick.item.remove();
    this.picks = this.picks.filter((other) => other !== pick);
    this.update();
  }

  update() {
    const number = this.picks.length;
    this.picks.forEach(({ field, file }, at) => {
      const place = number > 1 ? ` ${at + 1} of ${number}` : "";
      field.setAttribute("aria-label", `Title of photo${place}, ${file.name}`);
    });
    const go = find(".go", this.dialog);
    go.disabled = number === 0;
    go.textContent = number > 1 ? `Share ${number} photos` : "Share";
    find(".more", this.dialog).textContent = number ? "Choose more" : "Choose photos";
  }

  clear() {
    for (const pick of this.picks.slice()) this.drop(pick);
  }
}
