// Pictures as the server takes them: JPEG.

/** Whether a file's first bytes are those of a JPEG; names and types can be wrong. */
async function isJPEG(file) {
  const head = new Uint8Array(await file.slice(0, 3).arrayBuffer());
  return head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff;
}

/** What the browser can decode, upright. */
async function decodePicture(file) {
  try {
    return await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    // Some browsers show in a page what they do not decode by themselves.
    const address = URL.createObjectURL(file);
    try {
      const image = new Image();
      image.src = address;
      await image.decode();
      return image;
    } finally {
      URL.revokeObjectURL(address);
    }
  }
}

/** Draws a picture on white, smaller when the canvas cannot hold it. */
async function drawJPEG(picture, mostPixels) {
  const width = picture.naturalWidth ?? picture.width;
  const height = picture.naturalHeight ?? picture.height;
  if (!width || !height) throw new Error("no pixels");
  // Phones give a canvas no more than 16 megapixels.
  const scale = Math.min(1, Math.sqrt(Math.min(mostPixels, 16_700_000) / (width * height)));
  const canvas = make("canvas", {
    width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)),
  });
  const context = canvas.getContext("2d", { alpha: false });
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close?.();
  const blob = await new Promise((resolve) => { canvas.toBlob(resolve, "image/jpeg", 0.92); });
  // Frees the memory now, not when it is next tidied up.
  canvas.width = 0;
  canvas.height = 0;
  if (!blob) throw new Error("no memory");
  return blob;
}

/** A JPEG of the picture in a file: the file itself if it is one. */
async function asJPEG(file, mostPixels) {
  if (await isJPEG(file)) return file;
  let picture;
  try {
    picture = await decodePicture(file);
  } catch {
    const kind = /\.([a-z0-9]{1,5})$/i.exec(file.name)?.[1]?.toUpperCase() ?? "such";
    throw new ServerError(
      0, "not_jpeg", `this browser cannot read ${kind} pictures; save it as JPEG first`);
  }
  return drawJPEG(picture, mostPixels);
}

/** The SHA-256 of a file in hex; null where the browser has none to give (plain HTTP). */
async function digest(file) {
  if (!globalThis.crypto?.subtle) return null;
  const hash = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
