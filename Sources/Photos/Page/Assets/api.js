// What the page asks the server, and how it says so.

/** A refusal by the server, in its own words. */
class ServerError extends Error {
  constructor(status, code, message, retryAfter = null) {
    super(message);
    this.status = status;
    this.code = code;
    /** Seconds to wait before the next try, or null. */
    this.retryAfter = retryAfter;
  }

  /** The refusal out of an answer's status and text. */
  static from(status, text, retryAfter) {
    let error = {};
    try {
      error = JSON.parse(text).error ?? {};
    } catch {
      // A proxy's error page, perhaps: the status has to do.
    }
    const seconds = Number.parseInt(retryAfter, 10);
    return new ServerError(
      status, error.code ?? "unknown", error.message ?? `the server answered with status ${status}`,
      Number.isFinite(seconds) ? seconds : null);
  }
}

/** The server's address is out of reach, or the connection broke. */
const unreachable = () =>
  new ServerError(0, "unreachable", "the server cannot be reached; check your connection");

const Api = {
  async send(method, path, body) {
    const headers = { Accept: "application/json" };
    // A form of another site cannot set this header.
    if (method !== "GET") headers["X-Tote"] = "1";
    if (body !== undefined) headers["Content-Type"] = "application/json";
    let answer;
    let text;
    try {
      answer = await fetch(`/api/v1/${path}`, {
        method, headers, body: body === undefined ? undefined : JSON.stringify(body),
        credentials: "same-origin", cache: "no-store",
      });
      text = await answer.text();
    } catch {
      throw unreachable();
    }
    if (!answer.ok) throw ServerError.from(answer.status, text, answer.headers.get("Retry-After"));
    try {
      return text ? JSON.parse(text) : null;
    } catch {
      throw ServerError.from(answer.status, "");
    }
  },

  photos({ before = null, user = null, limit = 50 } = {}) {
    const query = new URLSearchParams({ limit });
    if (before) query.set("before", before);
    if (user) query.set("user", user);
    return this.send("GET", `photos?${query}`);
  },
  photo(id) { return this.send("GET", `photos/${encodeURIComponent(id)}`); },
  remove(id) { return this.send("DELETE", `photos/${encodeURIComponent(id)}`); },
  login(username, password) { return this.send("POST", "login", { username, password }); },
  register(username, password, invite) {
    return this.send("POST", "register", invite ? { username, password, invite } : { username, password });
  },
  logout() { return this.send("POST", "logout"); },

  /** The caller's own photo that was made of a file with this digest, or null. */
  async known(digest) {
    try {
      return await this.send("GET", `photos/sent/${digest}`);
    } catch {
      // Not knowing costs an upload, no more.
      return null;
    }
  },

  /** Uploads one JPEG, telling the share that has gone (0 to 1). */
  upload(picture, title, onProgress) {
    return new Promise((resolve, reject) => {
      const form = new FormData();
      form.append("title", title);
      // Names of files tell dates and devices: the server need not know.
      form.append("file", picture, "photo.jpg");
      // XMLHttpRequest, since `fetch` cannot tell how much has been sent.
      const request = new XMLHttpRequest();
      request.open("POST", "/api/v1/photos");
      request.setRequestHeader("X-Tote", "1");
      request.setRequestHeader("Accept", "application/json");
      request.upload.onprogress = (event) => {
        if (event.lengthComputable) onProgress(event.loaded / event.total);
      };
      request.onerror = () => reject(unreachable());
      request.onabort = request.onerror;
      request.onload = () => {
        if (request.status >= 200 && request.status < 300) {
          try {
            resolve(JSON.parse(request.responseText));
          } catch {
            reject(ServerError.from(request.status, ""));
          }
        } else {
          reject(ServerError.from(
            request.status, request.responseText, request.getResponseHeader("Retry-After")));
        }
      };
      request.send(form);
    });
  },
};
