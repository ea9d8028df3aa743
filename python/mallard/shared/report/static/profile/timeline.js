// The timeline: the pointer or the arrow keys read the live bytes of the process and of each scope.
"use strict";

mallard.ready.then(({ timeline }) => {
  const drawing = document.querySelector(".timeline .drawing");
  if (!timeline || !drawing) return;
  const { panel, words: { size, time } } = mallard;
  const cursor = drawing.querySelector(".cursor"), { seconds, lines } = timeline;
  const length = seconds.at(-1) - seconds[0] || 1;
  let selected = -1;

  const show = (at) => {
    const box = drawing.getBoundingClientRect(), left = (seconds[at] - seconds[0]) / length;
    selected = at;
    cursor.hidden = false;
    cursor.style.left = `${100 * left}%`;
    const x = box.left + left * box.width;
    panel.show(new DOMRect(x - 4, box.bottom - 8, 8, 8), `after ${time(seconds[at])}`, "", lines.map(([name, live]) => [name, size(live[at])]));
  };
  const hide = () => {
    cursor.hidden = true;
    panel.hide();
  };

  drawing.addEventListener("pointermove", ({ clientX }) => {
    const box = drawing.getBoundingClientRect(), wanted = seconds[0] + length * (clientX - box.left) / box.width;
    show(seconds.reduce((best, value, i) => (Math.abs(value - wanted) < Math.abs(seconds[best] - wanted) ? i : best), 0));
  });
  drawing.addEventListener("pointerleave", hide);

  const targets = { ArrowLeft: () => selected - 1, ArrowRight: () => selected + 1, Home: () => 0, End: () => seconds.length - 1 };
  drawing.tabIndex = 0;
  drawing.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    const target = targets[event.key]?.();
    if (target === undefined) return;
    event.preventDefault();
    show(Math.min(Math.max(target, 0), seconds.length - 1));
  });
  drawing.addEventListener("blur", hide);
});
