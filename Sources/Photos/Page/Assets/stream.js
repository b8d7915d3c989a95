// The grid of photos: what is shown, what is older, and what has just arrived.

/** The photos on the page, newest first, and their tiles. */
class Stream extends EventTarget {
  /** Photos by their place in the stream. */
  photos = [];
  /** Arrived while the reader was further down; shown when they ask. */
  waiting = [];
  /** The name of the user whose photos these are; null for everyone's. */
  owner;

  constructor(main, owner) {
    super();
    this.owner = owner;
    this.grid = find(".grid", main);
    this.older = find(".older", main);
    this.empty = find(".empty", main);
    this.pill = find("#pill");
    this.pill.addEventListener("click", () => {
      this.showWaiting();
      scrollTo({ top: 0, behavior: prefersStill() ? "auto" : "smooth" });
      find("a", this.grid)?.focus({ preventScroll: true });
    });
    addEventListener("scroll", () => { if (scrollY < 80) this.showWaiting(); }, { passive: true });
    this.grid.addEventListener("keydown", (event) => this.moveFocus(event));
    this.adopt();
    this.watchEnd();
  }

  /** Takes over the tiles that came with the page. */
  adopt() {
    for (const tile of this.grid.children) {
      this.photos.push(Stream.read(tile));
      setPlaceholder(find("img", tile), tile.dataset.placeholder);
    }
  }

  /** The photo that an element of the server's HTML describes. */
  static read(element) {
    const { id, title, user, width, height, created, placeholder, bytes } = element.dataset;
    return {
      id, title, user, width: Number(width), height: Number(height), created, placeholder,
      full: { url: `/photos/${id}/full.jpg`, bytes: Number(bytes) },
      view: { url: `/photos/${id}/view.jpg` },
      thumb: { url: `/photos/${id}/thumb.jpg` },
    };
  }

  /** What stands for a photo's picture in words. */
  static words(photo) { return photo.title || `Photo by @${photo.user}`; }

  tile(photo) {
    const image = make("img", {
      width: 320, height: 320, alt: Stream.words(photo), decoding: "async", loading: "lazy",
    });
    image.src = photo.thumb.url;
    setPlaceholder(image, photo.placeholder);
    return make(
      "li", { className: "tile", "data-id": photo.id },
      make("a", { href: `/p/${photo.id}`, className: "open" }, image),
      make("a", { href: `/u/${encodeURIComponent(photo.user)}`, className: "by" }, `@${photo.user}`));
  }

  index(id) { return this.photos.findIndex((photo) => photo.id === id); }

  element(id) { return find(`.tile[data-id="${CSS.escape(id)}"]`, this.grid); }

  /** Puts a photo where it belongs, unless it is there. */
  insert(photo, isNew = false) {
    if (this.owner !== null && photo.user !== this.owner) return false;
    if (this.index(photo.id) >= 0) return false;
    this.waiting = this.waiting.filter((other) => other.id !== photo.id);
    this.showPill();
    const place = this.photos.findIndex((other) => other.id < photo.id);
    // Past the last one shown lies what has not been loaded.
    if (place < 0 && this.cursor) return false;
    const tile = this.tile(photo);
    if (isNew) tile.classList.add("new");
    const at = place < 0 ? this.photos.length : place;
    this.grid.insertBefore(tile, this.grid.children[at] ?? null);
    this.photos.splice(at, 0, photo);
    this.changed();
    return true;
  }

  /** A photo that somebody has just added. */
  arrive(photo) {
    if (this.owner !== null && photo.user !== this.owner) return;
    if (this.index(photo.id) >= 0 || this.waiting.some((other) => other.id === photo.id)) return;
    if (scrollY < 200) {
      if (this.insert(photo, true)) announce(`New photo by @${photo.user}: ${photo.title || "no title"}`);
      return;
    }
    // Nothing moves under the eyes of somebody who is looking at older ones.
    this.waiting.push(photo);
    this.showPill();
    announce(count(this.waiting.length, "new photo"));
  }

  showWaiting() {
    if (!this.waiting.length) return;
    for (const photo of this.waiting.slice()) this.insert(photo, true);
  }

  showPill() {
    this.pill.hidden = !this.waiting.length;
    this.pill.textContent = count(this.waiting.length, "new photo");
  }

  /** Takes a photo off the page. */
  remove(id) {
    this.waiting = this.waiting.filter((photo) => photo.id !== id);
    this.showPill();
    const at = this.index(id);
    if (at >= 0) {
      this.photos.splice(at, 1);
      this.element(id)?.remove();
      this.changed();
    }
    // The viewer may show one that is further down than the grid goes.
    this.dispatchEvent(new CustomEvent("removed", { detail: id }));
  }

  changed() {
    this.empty.hidden = this.photos.length > 0 || Boolean(this.cursor);
  }

  /** The newest photos, from which a page that was not a stream begins. */
  async begin() {
    const page = await Api.photos({ user: this.owner });
    for (const photo of page.photos) this.insert(photo);
    this.setCursor(page.next);
    this.changed();
  }

  /** Fetches the newest again: what arrived or went while nobody told us. */
  async refresh() {
    const page = await Api.photos({ user: this.owner });
    const there = new Set(page.photos.map((photo) => photo.id));
    const last = page.photos.at(-1)?.id ?? "";
    for (const photo of this.photos.slice()) {
      if ((photo.id > last || !page.next) && !there.has(photo.id)) this.remove(photo.id);
    }
    const newest = this.photos[0]?.id ?? "";
    if (!page.next || !this.photos.length || last <= newest) {
      for (const photo of page.photos.reverse()) this.arrive(photo);
      return;
    }
    // More arrived than one page holds: starting over leaves no gap.
    this.photos = [];
    this.waiting = [];
    this.grid.replaceChildren();
    this.setCursor(null);
    for (const photo of page.photos) this.insert(photo);
    this.setCursor(page.next);
    this.showPill();
  }

  /** Where the older photos begin; null when there are none. */
  get cursor() { return this.older.dataset.before || null; }

  setCursor(cursor) {
    this.older.dataset.before = cursor ?? "";
    this.older.hidden = !cursor;
    const path = this.owner === null ? "/" : `/u/${encodeURIComponent(this.owner)}`;
    if (cursor) find("a", this.older).href = `${path}?before=${encodeURIComponent(cursor)}`;
  }

  /** Appends the next page of older photos; false when there was none. */
  async loadOlder() {
    if (!this.cursor) return false;
    this.loading ??= (async () => {
      this.older.classList.add("busy");
      try {
        const page = await Api.photos({ before: this.cursor, user: this.owner });
        const tiles = document.createDocumentFragment();
        for (const photo of page.photos) {
          if (this.index(photo.id) >= 0) continue;
          this.photos.push(photo);
          tiles.append(this.tile(photo));
        }
        this.grid.append(tiles);
        this.setCursor(page.next);
        this.changed();
        announce(`${count(page.photos.length, "older photo")} loaded`);
        return page.photos.length > 0;
      } finally {
        this.loading = null;
        this.older.classList.remove("busy");
      }
    })();
    return this.loading;
  }

  watchEnd() {
    const link = find("a", this.older);
    const more = () => this.loadOlder().catch((error) => toast(sentence(error.message), true));
    link.addEventListener("click", (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      more();
    });
    const observer = new IntersectionObserver(async ([entry]) => {
      if (!entry.isIntersecting || !this.cursor) return;
      try {
        await this.loadOlder();
      } catch {
        // The link stays: the reader can try when the network is back.
        return;
      }
      // Looks again, for a page that did not fill the window.
      observer.unobserve(this.older);
      observer.observe(this.older);
    }, { rootMargin: "800px" });
    observer.observe(this.older);
  }

  /** Arrow keys walk through the grid. */
  moveFocus(event) {
    const tile = event.target.closest(".tile");
    if (!tile || event.altKey || event.ctrlKey || event.metaKey) return;
    const columns = getComputedStyle(this.grid).gridTemplateColumns.split(" ").length;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    const tiles = [...this.grid.children];
    const last = tiles.length - 1;
    const from = tiles.indexOf(tile);
    let to;
    if (event.key === "Home") to = 0;
    else if (event.key === "End") to = last;
    else if (event.key in steps) to = from + steps[event.key];
    else return;
    if (to < 0 || to > last) return;
    event.preventDefault();
    find("a", tiles[to]).focus();
  }
}
