// Brings the page to life. Everything that can be read works without this.

const facts = document.body.dataset;
const account = new Account({
  user: facts.user, registration: facts.registration, isPrivate: facts.private === "true",
});

for (const time of document.querySelectorAll("main time")) time.textContent = moment(time.dateTime);

const main = find("main");
if (find(".grid", main)) {
  const stream = new Stream(main, facts.owner || null);
  const uploads = new Uploads(
    stream, account, { bytes: Number(facts.bytes), pixels: Number(facts.pixels) });
  new Composer(account, uploads);
  const single = find(".single", main);
  const viewer = new Viewer(stream, account, single ? "/" : location.pathname + location.search);
  if (single) {
    // The photo's own page becomes the stream with the photo opened over it.
    const photo = Stream.read(single);
    viewer.title = facts.name;
    single.remove();
    find(".behind", main).hidden = false;
    history.replaceState({ photo: photo.id, within: false }, "", location.pathname);
    viewer.open(photo, false);
    stream.begin().then(() => viewer.photo && viewer.showSteps(), (error) =>
      toast(sentence(error.message), true));
  }
  // A page of older photos stays as it is.
  if (facts.before !== "true") new Live(stream);
} else if (facts.user === "" && facts.private === "true" && !find("#account").open) {
  account.ask("login");
}
