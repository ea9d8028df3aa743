// The timeline: the pointer reads the live bytes of the process and of each scope.
"use strict";

mallard.ready.then(({ timeline }) => {
  const drawing = document.querySelector(".timeline .drawing");
  if (!timeline || !drawing) return;
  const { panel, words: { size, time } } = mallard;
  const cursor = drawing.querySelector(".cursor"), { seconds, lines } = timeline;

  drawing.addEventListener("pointermove", ({ clientX }) => {
    const box = drawing.getBoundingClientRect(), length = seconds.at(-1) - seconds[0] || 1;
    const wanted = seconds[0] + length * (clientX - box.left) / box.width;
    const at = seconds.reduce((best, value, i) => (Math.abs(value - wanted) < Math.abs(seconds[best] - wanted) ? i : best), 0);
    const left = (seconds[at] - seconds[0]) / length;
    cursor.hidden = false;
    cursor.style.left = `${100 * left}%`;
    const x = box.left + left * box.width;
    panel.show(new DOMRect(x - 4, box.bottom - 8, 8, 8), `after ${time(seconds[at])}`, "", lines.map(([name, live]) => [name, size(live[at])]));
  });
  drawing.addEventListener("pointerleave", () => {
    cursor.hidden = true;
    panel.hide();
  });
});
