/** Tells swipes by a finger or pen, and moves the picture along. */
class Swipe {
  constructor(area, image, { left, right, down }) {
    let start = null;
    const move = (x, y) => { image.style.translate = x || y ? `${x}px ${y}px` : ""; };
    const reset = () => {
      start = null;
      move(0, 0);
    };
    area.addEventListener("pointerdown", (event) => {
      // Two fingers, or a picture that is enlarged: the browser's affair.
      if (event.pointerType === "mouse" || !event.isPrimary || visualViewport?.scale > 1.01) return;
      start = { x: event.clientX, y: event.clientY, id: event.pointerId };
    });
    area.addEventListener("pointermove", (event) => {
      if (!start || event.pointerId !== start.id) return;
      const x = event.clientX - start.x;
      const y = Math.max(0, event.clientY - start.y);
      if (Math.abs(x) > y) move(x, 0);
      else move(0, y);
    });
    area.addEventListener("pointerup", (event) => {
      if (!start || event.pointerId !== start.id) return;
      const x = event.clientX - start.x;
      const y = event.clientY - start.y;
      reset();
      if (Math.abs(x) > 50 && Math.abs(x) > Math.abs(y)) (x < 0 ? left : right)();
      else if (y > 90) down();
    });
    area.addEventListener("pointercancel", reset);
  }
}
