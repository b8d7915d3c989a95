// Hears of photos as they come and go.

/** Keeps a stream of photos up to date for as long as the page is open. */
class Live {
  constructor(stream) {
    this.stream = stream;
    this.pause = 1000;
    this.connect();
    addEventListener("pagehide", () => this.source?.close());
    // A page that comes back out of the browser's memory has lost its connection.
    addEventListener("pageshow", (event) => { if (event.persisted) this.connect(); });
  }

  connect() {
    this.source?.close();
    this.source = new EventSource("/api/v1/events");
    this.source.addEventListener("open", () => {
      this.pause = 1000;
      // What happened before the line was open is not told on it.
      this.stream.refresh().catch(() => {});
    });
    this.source.addEventListener("added", (event) => this.stream.arrive(JSON.parse(event.data)));
    this.source.addEventListener("removed", (event) => this.stream.remove(JSON.parse(event.data).id));
    this.source.addEventListener("error", () => {
      // The browser tries again by itself unless the server refused.
      if (this.source.readyState !== EventSource.CLOSED) return;
      setTimeout(() => this.connect(), this.pause * (0.75 + Math.random() / 2));
      this.pause = Math.min(this.pause * 2, 60000);
    });
  }
}
