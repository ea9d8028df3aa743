// The points of a line plot: the panel shows the one next to the pointer, or the one that the arrow keys select.
"use strict";

mallard.ready.then(({ plots }) => document.querySelectorAll(".lines svg").forEach((plot, number) => {
  const REACH = 14; // of a point, in the drawing's own units
  const points = [...plot.querySelectorAll(".series")].flatMap((series, line) => {
    const name = series.querySelector("text").textContent;
    return series.querySelector("polyline").getAttribute("points").split(" ").map((point, i) => {
      const [x, y] = point.split(",").map(Number), [at, value] = plots[number][line][i];
      return { x, y, name, at, value };
    });
  });
  const [xName, yName] = [...plot.querySelectorAll(".axis-name")].map((text) => text.textContent);

  const show = ({ x, y, name, at, value }) => {
    const box = plot.getBoundingClientRect(), scale = box.width / plot.viewBox.baseVal.width;
    mallard.panel.show(new DOMRect(box.left + x * scale - 4, box.top + y * scale - 4, 8, 8), name, "", [[xName, at], [yName, value]]);
  };

  const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
  let selected = -1;
  plot.tabIndex = 0;
  plot.addEventListener("keydown", (event) => {
    if (event.key === "Escape") mallard.panel.hide();
    if (!STEPS[event.key]) return;
    event.preventDefault();
    selected = selected < 0 ? 0 : (selected + STEPS[event.key] + points.length) % points.length;
    show(points[selected]);
  });
  plot.addEventListener("blur", () => mallard.panel.hide());

  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect(), scale = box.width / plot.viewBox.baseVal.width;
    const far = (point) => Math.hypot(point.x - (event.clientX - box.left) / scale, point.y - (event.clientY - box.top) / scale);
    const near = points.reduce((best, point) => (far(point) < far(best) ? point : best));
    if (far(near) > REACH) mallard.panel.hide(); else show(near);
  });
  plot.addEventListener("pointerleave", () => mallard.panel.hide());
}));
