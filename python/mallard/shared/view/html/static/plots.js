// The points of a line plot: the panel tells the one that is next to the pointer.
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

  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect(), scale = box.width / plot.viewBox.baseVal.width;
    const far = (point) => Math.hypot(point.x - (event.clientX - box.left) / scale, point.y - (event.clientY - box.top) / scale);
    const near = points.reduce((best, point) => (far(point) < far(best) ? point : best));
    if (far(near) > REACH) { mallard.panel.hide(); return; }
    const left = box.left + near.x * scale, top = box.top + near.y * scale;
    mallard.panel.show(new DOMRect(left - 4, top - 4, 8, 8), near.name, "", [[xName, near.at], [yName, near.value]]);
  });
  plot.addEventListener("pointerleave", () => mallard.panel.hide());
}));
