// Draws the few bytes that stand for a photo while it loads (the format of evanw/thumbhash: means
// and some cosine coefficients of brightness and of two colour differences).

/** Reads a placeholder's parts; null when the bytes are none. */
function readPlaceholder(base64) {
  let bytes;
  try {
    bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
  if (bytes.length < 5) return null;
  const head = bytes[0] | bytes[1] << 8 | bytes[2] << 16;
  const second = bytes[3] | bytes[4] << 8;
  const hasAlpha = (head >> 23) !== 0;
  const isWide = (second >> 15) !== 0;
  const shorter = second & 7;
  const longest = hasAlpha ? 5 : 7;
  const across = Math.max(3, isWide ? longest : shorter);
  const down = Math.max(3, isWide ? shorter : longest);
  let nibble = (hasAlpha ? 6 : 5) * 2;

  // Four bits a coefficient, the lower half of a byte first.
  const channel = (columns, rows, scale) => {
    const terms = [];
    for (let row = 0; row < rows; row += 1) {
      for (let column = row ? 0 : 1; column * rows < columns * (rows - row); column += 1) {
        const value = bytes[nibble >> 1] >> ((nibble & 1) * 4) & 15;
        terms.push({ row, column, value: (value / 7.5 - 1) * scale });
        nibble += 1;
      }
    }
    return terms;
  };
  return {
    aspect: (isWide ? longest : shorter) / (isWide ? shorter : longest),
    light: (head & 63) / 63,
    yellow: (head >> 6 & 63) / 31.5 - 1,
    red: (head >> 12 & 63) / 31.5 - 1,
    lightTerms: channel(across, down, (head >> 18 & 31) / 31),
    // The format draws colours a little stronger than they were measured.
    yellowTerms: channel(3, 3, (second >> 3 & 63) / 63 * 1.25),
    redTerms: channel(3, 3, (second >> 9 & 63) / 63 * 1.25),
  };
}

/** Draws a placeholder of at most 32 pixels a side; a data URL, or null. */
function drawPlaceholder(base64) {
  const parts = base64 ? readPlaceholder(base64) : null;
  if (!parts || !(parts.aspect > 0)) return null;
  const width = Math.round(parts.aspect > 1 ? 32 : 32 * parts.aspect);
  const height = Math.round(parts.aspect > 1 ? 32 / parts.aspect : 32);
  const canvas = make("canvas", { width, height });
  const context = canvas.getContext("2d");
  const picture = context.createImageData(width, height);
  const wave = (length) => Array.from({ length: 8 }, (_, order) =>
    Float32Array.from({ length }, (_, at) => Math.cos(Math.PI / length * (at + 0.5) * order)));
  const columns = wave(width);
  const rows = wave(height);
  const sum = (mean, terms, x, y) => {
    let total = mean;
    for (const term of terms) total += 2 * term.value * columns[term.column][x] * rows[term.row][y];
    return total;
  };
  let at = 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const light = sum(parts.light, parts.lightTerms, x, y);
      const yellow = sum(parts.yellow, parts.yellowTerms, x, y);
      const red = sum(parts.red, parts.redTerms, x, y);
      const blue = light - 2 / 3 * yellow;
      const warm = (3 * light - blue + red) / 2;
      picture.data[at] = warm * 255;
      picture.data[at + 1] = (warm - red) * 255;
      picture.data[at + 2] = blue * 255;
      picture.data[at + 3] = 255;
      at += 4;
    }
  }
  context.putImageData(picture, 0, 0);
  return canvas.toDataURL();
}

/** Puts a placeholder behind a picture until it has loaded. */
function setPlaceholder(image, base64) {
  if (image.complete && image.naturalWidth) return;
  const drawing = drawPlaceholder(base64);
  if (!drawing) return;
  image.style.backgroundImage = `url("${drawing}")`;
  image.addEventListener("load", () => { image.style.backgroundImage = ""; }, { once: true });
}
