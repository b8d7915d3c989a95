// Logging in, registering and logging out.

/** Who uses the page; tells a change by the event `change`. */
class Account extends EventTarget {
  /** The user's name, or null. */
  user;

  constructor({ user, registration, isPrivate }) {
    super();
    this.user = user || null;
    this.registration = registration;
    this.isPrivate = isPrivate;
    this.dialog = find("#account");
    this.form = find("form", this.dialog);
    this.problem = find(".problem", this.dialog);
    this.listen();
    this.show();
    this.readInvitation();
  }

  listen() {
    document.addEventListener("click", (event) => {
      const action = event.target.closest("[data-account]")?.dataset.account;
      if (action === "log-in") this.ask("login");
      else if (action === "register") this.ask("register");
      else if (action === "log-out") this.logOut();
      else if (action === "cancel") this.dialog.close();
    });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.dialog.addEventListener("close", () => {
      this.form.elements.password.value = "";
      const then = this.afterwards;
      this.afterwards = null;
      if (this.user !== null) then?.();
    });
    const menu = find("#menu");
    document.addEventListener("click", (event) => {
      if (menu.open && !menu.contains(event.target)) menu.open = false;
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      menu.open = false;
      find("summary", menu).focus();
    });
  }

  /** An invitation comes behind the `#`, which browsers send to nobody. */
  readInvitation() {
    const match = /^#invite=(.+)$/.exec(location.hash);
    if (!match) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    if (this.user !== null) return;
    try {
      this.invite = decodeURIComponent(match[1]);
    } catch {
      this.invite = match[1];
    }
    this.ask("register");
  }

  show() {
    const isIn = this.user !== null;
    find("[data-account=log-in]", find(".account")).hidden = isIn;
    const menu = find("#menu");
    menu.hidden = !isIn;
    menu.open = false;
    if (!isIn) return;
    find("summary", menu).firstElementChild.textContent = `@${this.user}`;
    find(".own", menu).href = `/u/${encodeURIComponent(this.user)}`;
  }

  /** Opens the dialog; `afterwards` runs once somebody is logged in. */
  ask(mode, afterwards = null, reason = "") {
    this.mode = mode;
    this.afterwards = afterwards ?? this.afterwards;
    const isNew = mode === "register";
    const { elements } = this.form;
    find("h2", this.dialog).textContent = isNew ? "Make an account" : "Log in";
    find(".reason", this.dialog).textContent = reason;
    find(".reason", this.dialog).hidden = !reason;
    find(".go", this.dialog).textContent = isNew ? "Register" : "Log in";
    elements.password.autocomplete = isNew ? "new-password" : "current-password";
    const needsInvite = isNew && this.registration === "invite";
    find(".invite", this.dialog).hidden = !needsInvite;
    elements.invite.required = needsInvite;
    elements.invite.value = this.invite ?? elements.invite.value;
    const other = find(".other", this.dialog);
    other.dataset.account = isNew ? "log-in" : "register";
    other.textContent = isNew ? "Log in instead" : "Make an account";
    other.hidden = !isNew && this.registration === "closed";
    this.fail("");
    if (!this.dialog.open) this.dialog.showModal();
    // The name of who was here before is probably right.
    (elements.username.value ? elements.password : elements.username).focus();
  }

  fail(text) {
    this.problem.textContent = text;
    this.problem.hidden = !text;
    for (const name of ["username", "password"]) {
      this.form.elements[name].setAttribute("aria-invalid", text ? "true" : "false");
    }
  }

  async submit() {
    const { elements } = this.form;
    const name = elements.username.value.trim();
    const password = elements.password.value;
    const go = find(".go", this.dialog);
    this.fail("");
    go.disabled = true;
    try {
      const answer = this.mode === "register"
        ? await Api.register(name, password, elements.invite.value.trim())
        : await Api.login(name, password);
      this.invite = null;
      this.become(answer.user.name);
      this.dialog.close();
      announce(`Logged in as ${answer.user.name}`);
    } catch (error) {
      const pause = error.retryAfter ? ` Try again in ${count(error.retryAfter, "second")}.` : "";
      this.fail(sentence(error.message) + pause);
      elements.password.focus();
      elements.password.select();
    } finally {
      go.disabled = false;
    }
  }

  async logOut() {
    try {
      await Api.logout();
    } catch (error) {
      if (error.status !== 401) {
        toast(sentence(error.message), true);
        return;
      }
    }
    this.become(null);
    announce("Logged out");
    find("[data-account=log-in]", find(".account")).focus();
  }

  become(user) {
    this.user = user;
    // A private library shows other things to other people: the server decides.
    if (this.isPrivate) {
      location.assign(user === null ? "/" : location.pathname);
      return;
    }
    this.show();
    this.dispatchEvent(new Event("change"));
  }
}
