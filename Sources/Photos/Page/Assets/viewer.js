// One photo over the whole window.

/** The dialog that shows a photo of a stream, and the address that goes with it. */
class Viewer {
  photo = null;
  /** The photo that is being deleted. */
  going = null;

  constructor(stream, account, home) {
    this.stream = stream;
    this.account = account;
    /** Where closing leads when the page began with a photo. */
    this.home = home;
    this.title = document.title;
    this.dialog = find("#viewer");
    this.stage = find(".stage", this.dialog);
    this.image = find(".stage img", this.dialog);
    this.trouble = find(".trouble", this.dialog);
    this.listen();
  }

  listen() {
    const { dialog } = this;
    this.stream.grid.addEventListener("click", (event) => {
      const link = event.target.closest("a.open");
      if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
      const photo = this.stream.photos[this.stream.index(link.closest(".tile").dataset.id)];
      if (!photo) return;
      event.preventDefault();
      this.open(photo);
    });
    this.stream.addEventListener("removed", (event) => {
      if (this.photo?.id !== event.detail || this.photo === this.going || !dialog.open) return;
      this.close();
      toast("That photo has been deleted.");
    });
    const actions = {
      close: () => this.close(), newer: () => this.step(-1), older: () => this.step(1),
      remove: () => this.confirm(),
    };
    dialog.addEventListener("click", (event) => {
      const action = event.target.closest("[data-do]")?.dataset.do;
      if (action) actions[action]?.();
      else if (event.target === this.stage || event.target === dialog) this.close();
    });
    // Esc: the browser closes the dialog, and the address has to follow.
    dialog.addEventListener("cancel", (event) => {
      if (event.target !== dialog) return;
      event.preventDefault();
      this.close();
    });
    // It may close it without asking, too.
    dialog.addEventListener("close", () => { if (this.photo !== null) this.close(); });
    dialog.addEventListener("keydown", (event) => this.key(event));
    addEventListener("popstate", (event) => this.follow(event.state));
    this.image.addEventListener("load", () => this.stage.classList.remove("busy"));
    this.image.addEventListener("error", () => {
      this.stage.classList.remove("busy");
      this.trouble.hidden = false;
    });
    this.account.addEventListener("change", () => this.showOwner());
    new Swipe(this.stage, this.image, {
      left: () => this.step(1), right: () => this.step(-1), down: () => this.close(),
    });
    const sure = find("#sure");
    sure.addEventListener("close", () => { if (sure.returnValue === "delete") this.remove(); });
  }

  /** Opens on a photo; `push` adds it to the browser's history. */
  open(photo, push = true) {
    this.show(photo);
    if (push) history.pushState({ photo: photo.id, within: true }, "", `/p/${photo.id}`);
    if (this.dialog.open) return;
    this.dialog.showModal();
    document.documentElement.classList.add("viewing");
    find("[data-do=close]", this.dialog).focus();
  }

  show(photo) {
    this.photo = photo;
    const { image, dialog } = this;
    this.trouble.hidden = true;
    this.stage.classList.add("busy");
    image.removeAttribute("src");
    image.style.backgroundImage = "";
    image.width = photo.width;
    image.height = photo.height;
    image.style.setProperty("--ratio", photo.width / photo.height);
    image.style.setProperty("--most", `${photo.width}px`);
    image.alt = Stream.words(photo);
    setPlaceholder(image, photo.placeholder);
    image.src = photo.view.url;
    // In the cache already: there may be no event.
    if (image.complete && image.naturalWidth) this.stage.classList.remove("busy");
    find("h2", dialog).textContent = photo.title || "Untitled";
    find("h2", dialog).classList.toggle("untitled", !photo.title);
    const by = find(".by", dialog);
    by.textContent = `@${photo.user}`;
    by.href = `/u/${encodeURIComponent(photo.user)}`;
    const time = find("time", dialog);
    time.dateTime = photo.created;
    time.textContent = moment(photo.created);
    const full = find(".full", dialog);
    full.href = photo.full.url;
    const detail = `${photo.width} × ${photo.height}`;
    full.title = photo.full.bytes ? `${detail}, ${size(photo.full.bytes)}` : detail;
    document.title = `${Stream.words(photo)} · ${document.body.dataset.name}`;
    this.showOwner();
    this.showSteps();
  }

  showOwner() {
    const isOwn = this.photo !== null && this.account.user === this.photo.user;
    find("[data-do=remove]", this.dialog).hidden = !isOwn;
  }

  showSteps() {
    const { photos } = this.stream;
    const at = this.stream.index(this.photo.id);
    // A photo from further down than the page goes has newer ones that are not here.
    this.newer = at >= 0 ? photos[at - 1] : null;
    const next = at >= 0 ? photos[at + 1] : photos.find((photo) => photo.id < this.photo.id);
    this.older = next ?? null;
    find("[data-do=newer]", this.dialog).disabled = !this.newer;
    const canGoOn = this.older || this.stream.cursor;
    find("[data-do=older]", this.dialog).disabled = !canGoOn;
    for (const photo of [this.older, this.newer]) if (photo) new Image().src = photo.view.url;
    if (!this.older && at >= 0 && this.stream.cursor) {
      this.stream.loadOlder().then(() => this.dialog.open && this.showSteps(), () => {});
    }
  }

  async step(direction) {
    const from = this.photo;
    let photo = direction < 0 ? this.newer : this.older;
    if (!photo && direction > 0 && this.stream.cursor) {
      try {
        photo = (await Api.photos({ before: from.id, user: this.stream.owner, limit: 1 })).photos[0];
      } catch (error) {
        return toast(sentence(error.message), true);
      }
    }
    if (!photo || this.photo !== from) return undefined;
    return this.goTo(photo);
  }

  goTo(photo) {
    this.show(photo);
    const state = { photo: photo.id, within: history.state?.within ?? false };
    history.replaceState(state, "", `/p/${photo.id}`);
    // A button that has just been switched off would lose the keyboard.
    if (!this.dialog.contains(document.activeElement) || document.activeElement.disabled) {
      find("[data-do=close]", this.dialog).focus();
    }
    announce(`${photo.title || "Untitled"}, by @${photo.user}`);
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("#sure")) return;
    const { photos } = this.stream;
    const ends = { Home: photos[0], End: photos.at(-1) };
    if (event.key === "ArrowRight") this.step(1);
    else if (event.key === "ArrowLeft") this.step(-1);
    else if (event.key in ends && ends[event.key]) this.goTo(ends[event.key]);
    else return;
    event.preventDefault();
  }

  /** Closes, and leaves the address as it was before. */
  close() {
    // Going back takes a moment; a second step would leave the page.
    if (this.isClosing) return;
    if (history.state?.within) {
      this.isClosing = true;
      history.back();
      return;
    }
    history.replaceState(null, "", this.home);
    this.dismiss();
  }

  dismiss() {
    if (this.photo === null) return;
    const tile = this.stream.element(this.photo.id);
    this.photo = null;
    if (this.dialog.open) this.dialog.close();
    document.documentElement.classList.remove("viewing");
    document.title = this.title;
    this.image.removeAttribute("src");
    // The place in the grid is that of the photo seen last, not of the one that was opened.
    if (!tile) return;
    tile.scrollIntoView({ block: "nearest" });
    find("a", tile).focus({ preventScroll: true });
  }

  /** Follows the browser's back and forward. */
  async follow(state) {
    this.isClosing = false;
    if (!state?.photo) return this.dismiss();
    const at = this.stream.index(state.photo);
    try {
      const photo = at >= 0 ? this.stream.photos[at] : await Api.photo(state.photo);
      if (history.state?.photo === photo.id) this.open(photo, false);
    } catch (error) {
      this.dismiss();
      toast(sentence(error.message), true);
    }
    return undefined;
  }

  confirm() {
    const sure = find("#sure");
    sure.returnValue = "";
    find(".what", sure).textContent = this.photo.title ? `“${this.photo.title}”` : "This photo";
    sure.showModal();
  }

  async remove() {
    const { photo } = this;
    if (!photo) return;
    // The news of it may be here before the answer.
    this.going = photo;
    try {
      await Api.remove(photo.id);
    } catch (error) {
      // Gone already is as good.
      if (error.status !== 404) {
        this.going = null;
        return toast(sentence(error.message), true);
      }
    }
    if (this.photo === photo) this.close();
    this.stream.remove(photo.id);
    toast("The photo has been deleted.");
    announce("The photo has been deleted.");
    return undefined;
  }
}
