// Surfaces over two axes, drawn as polygons and turned by dragging or with the arrow keys. All share one camera,
// so that two of them can be compared. Colours are the style sheet's: they follow the theme, and paper.
"use strict";

mallard.ready.then((cells) => {
  const WIDTH = 400, HEIGHT = 320, SCALE = 122, RISE = 0.95;
  const START = { turn: -0.72, tilt: 0.5 };
  // The places of the palette's steps, as powers of two of a ratio of times. Colours between them are mixed.
  const STOPS = [[-5.5, "f6"], [-4, "f5"], [-2.5, "f4"], [-1.5, "f3"], [-0.66, "f2"], [-0.16, "f1"], [0, "eq"],
    [0.16, "s1"], [0.66, "s2"], [1.5, "s3"], [2.5, "s4"], [4, "s5"], [5.5, "s6"]];

  const camera = { ...START };
  let logarithmic = true; // true: a factor has one height everywhere; false: a difference has
  const SURFACE = "figure[data-surface]";
  const figures = [...document.querySelectorAll(SURFACE)];
  if (!figures.length) return;

  const make = (name, attributes = {}, text = "") => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text) node.textContent = text;
    return node;
  };

  const spread = (values) => {
    const low = Math.min(...values), high = Math.max(...values);
    return (value) => (high > low ? 2 * (value - low) / (high - low) - 1 : 0);
  };

  // Writes every n-th value, and at most `most`.
  const marks = (places, words, most) => places.map((at, i) => ({ at, words: words[i] }))
    .filter((_, i) => i % Math.ceil(places.length / most) === 0);

  // The place of a height between floor and ceiling, and the heights written at the walls.
  const scale = (least, greatest) => {
    if (logarithmic) {
      const low = Math.floor(Math.log2(Math.min(least, 1))), high = Math.max(Math.ceil(Math.log2(greatest)), low + 2);
      const step = Math.ceil((high - low) / 7);
      const first = Math.ceil(low / step) * step; // so that 1 is among them
      const powers = Array.from({ length: Math.floor((high - first) / step) + 1 }, (_, i) => first + i * step);
      return { place: (value) => (Math.log2(value) - low) / (high - low), ticks: powers.map((power) => 2 ** power) };
    }
    const unit = 10 ** Math.floor(Math.log10(greatest));
    const step = [0.2, 0.5, 1, 2, 5, 10].map((factor) => factor * unit).find((each) => greatest <= 7 * each);
    const count = Math.ceil(greatest / step - 1e-9);
    return { place: (value) => value / (count * step),
      ticks: Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(3))) };
  };

  const project = ([x, y, z]) => {
    const c = Math.cos(camera.turn), s = Math.sin(camera.turn);
    const across = x * c - y * s, away = x * s + y * c;
    const up = z * Math.cos(camera.tilt) + away * Math.sin(camera.tilt);
    return { x: WIDTH / 2 + SCALE * across, y: HEIGHT * 0.64 - SCALE * up,
      depth: away * Math.cos(camera.tilt) - z * Math.sin(camera.tilt) };
  };
  const point = (at) => { const p = project(at); return `${p.x.toFixed(1)},${p.y.toFixed(1)}`; };

  const mixed = (ratio) => {
    const level = Math.min(Math.max(Math.log2(ratio), STOPS[0][0]), STOPS.at(-1)[0]);
    const next = Math.max(1, STOPS.findIndex(([stop]) => stop >= level));
    const [low, from] = STOPS[next - 1], [high, to] = STOPS[next];
    return `--from:var(--${from});--to:var(--${to});--share:${(100 * (level - low) / (high - low)).toFixed(0)}%`;
  };

  // Light comes over the reader's left shoulder, in the model's own frame: it turns with the surface.
  const shade = ([a, b, c, d]) => {
    const u = [c[0] - a[0], c[1] - a[1], c[2] - a[2]], v = [d[0] - b[0], d[1] - b[1], d[2] - b[2]];
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(...n) || 1, sign = n[2] < 0 ? -1 : 1;
    const light = sign * (n[0] * -0.35 + n[1] * -0.55 + n[2] * 0.76) / length;
    return `--shade:${(34 * (1 - Math.max(0, light))).toFixed(0)}%`;
  };

  // The first values of the cells of the table, which has digits in groups.
  const heights = new Map(figures.map((figure) => [figure, cells.heights(figure.querySelector(".heat"))
    .map((row) => row.map((text) => (text === null ? null : Number(text.replace(/\s/g, "")))))]));

  class Surface {
    constructor(figure) {
      this.figure = figure;
      const table = figure.querySelector(".heat"), { surface, x, y } = figure.dataset;
      this.gain = surface === "gain"; // more is better
      this.name = figure.querySelector("b").textContent;
      this.x = x.split(" ").map(Math.log2);
      this.y = y.split(" ").map(Math.log2);
      this.z = heights.get(figure);
      this.lengths = cells.of(table).labels;
      this.factors = cells.of(table).heads;
      const across = spread(this.x.map((v) => -v)), back = spread(this.y);
      this.at = (row, column) => [across(-this.x[column]), back(this.y[row]), this.rise(this.z[row][column])];
      this.marksX = marks(this.x.map((v) => across(-v)), this.factors, 5);
      this.marksY = marks(this.y.map(back), this.lengths, 6);
      this.svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", tabindex: "0",
        "aria-label": `${figure.querySelector("figcaption").textContent}: a surface; the arrow keys turn it` });
      this.frame = make("g");
      this.quads = make("g");
      this.mark = make("circle", { r: 4, class: "here", visibility: "hidden" });
      this.svg.append(this.frame, this.quads, this.mark);
      figure.querySelector("figcaption").after(this.svg);
      this.build();
      this.draw();
    }

    rise(value) {
      return RISE * this.scale.place(value);
    }

    build() {
      const row = [...this.figure.parentElement.querySelectorAll(SURFACE)].flatMap((each) => heights.get(each)).flat();
      const all = row.filter((height) => height !== null);
      this.scale = scale(Math.min(...all), Math.max(...all));
      this.quads.replaceChildren();
      this.patches = [];
      for (let row = 0; row + 1 < this.y.length; row++) {
        for (let column = 0; column + 1 < this.x.length; column++) {
          const ends = [[row, column], [row, column + 1], [row + 1, column + 1], [row + 1, column]];
          const heights = ends.map(([r, c]) => this.z[r][c]);
          if (heights.some((z) => z === null)) continue;
          const corners = ends.map(([r, c]) => this.at(r, c));
          const mean = Math.exp(heights.reduce((sum, z) => sum + Math.log(z), 0) / 4);
          const node = make("polygon", { style: `${mixed(this.gain ? 1 / mean : mean)};${shade(corners)}` });
          this.quads.append(node);
          this.patches.push({ corners, node });
        }
      }
    }

    draw() {
      this.stale = false;
      this.svg.dataset.turn = camera.turn.toFixed(3);
      this.frame.replaceChildren(...this.walls(), ...this.labels());
      for (const patch of this.patches) {
        const seen = patch.corners.map(project);
        patch.depth = seen.reduce((sum, p) => sum + p.depth, 0);
        patch.node.setAttribute("points", seen.map((p) => `${p.x.toFixed(1)},${p.y.toFixed(1)}`).join(" "));
      }
      this.patches.sort((a, b) => b.depth - a.depth);
      this.quads.append(...this.patches.map((patch) => patch.node));
      if (this.marked) this.show(...this.marked);
    }

    // The sides away from the reader stand behind the surface, the axes run along the near ones.
    sides() {
      return { back: Math.cos(camera.turn) > 0 ? 1 : -1, side: Math.sin(camera.turn) > 0 ? 1 : -1 };
    }

    walls() {
      const { back, side } = this.sides();
      const line = (a, b, kind = "grid") => make("polyline", { points: `${point(a)} ${point(b)}`, class: kind });
      const lines = [make("polygon", { class: "floor",
        points: [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]].map(point).join(" ") })];
      for (const { at } of this.marksX) lines.push(line([at, -1, 0], [at, 1, 0]));
      for (const { at } of this.marksY) lines.push(line([-1, at, 0], [1, at, 0]));
      for (const tick of this.scale.ticks) {
        const z = this.rise(tick), kind = tick === 1 ? "grid one" : "grid";
        lines.push(line([-1, back, z], [1, back, z], kind), line([side, -1, z], [side, 1, z], kind));
      }
      return lines;
    }

    labels() {
      const { back, side } = this.sides();
      const texts = [];
      const text = (at, words, kind) => {
        const p = project(at);
        texts.push(make("text", { x: p.x.toFixed(1), y: (p.y + 4).toFixed(1), class: kind }, words));
      };
      for (const { at, words } of this.marksX) text([at, -back * 1.14, 0], words, "tick");
      for (const { at, words } of this.marksY) text([-side * 1.14, at, 0], words, "tick");
      text([0, -back * 1.52, 0], "access factor", "axis-name");
      text([-side * 1.45, 0, 0], "|S|", "axis-name");
      // Heights stand at the end of a back wall that is outermost to the left.
      const left = [[-1, back], [1, back], [side, -1], [side, 1]]
        .sort((a, b) => project([...a, 0]).x - project([...b, 0]).x)[0];
      for (const tick of this.scale.ticks.filter((each) => this.rise(each) > 0)) {
        const p = project([...left, this.rise(tick)]);
        texts.push(make("text", { x: (p.x - 5).toFixed(1), y: (p.y + 4).toFixed(1), class: "tick height" }, `${tick}`));
      }
      return texts;
    }

    nearest(x, y) {
      let best = null;
      for (let row = 0; row < this.y.length; row++) {
        for (let column = 0; column < this.x.length; column++) {
          if (this.z[row][column] === null) continue;
          const p = project(this.at(row, column));
          const far = Math.hypot(p.x - x, p.y - y) + 4 * p.depth;
          if (!best || far < best.far) best = { far, row, column };
        }
      }
      return best;
    }

    show(size, factor) {
      this.marked = [size, factor];
      const row = this.y.indexOf(size), column = this.x.indexOf(factor);
      const there = row >= 0 && column >= 0 && this.z[row][column] !== null;
      this.mark.setAttribute("visibility", there ? "visible" : "hidden");
      if (!there) return null;
      const p = project(this.at(row, column));
      this.mark.setAttribute("cx", p.x.toFixed(1));
      this.mark.setAttribute("cy", p.y.toFixed(1));
      return this.z[row][column];
    }

    forget() {
      this.marked = null;
      this.mark.setAttribute("visibility", "hidden");
    }
  }

  const surfaces = figures.map((figure) => new Surface(figure));
  const of = new Map(surfaces.map((surface) => [surface.figure, surface]));
  const beside = (surface) => surfaces.filter((other) => other.figure.parentElement === surface.figure.parentElement);

  const seen = new Set();
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const surface = of.get(entry.target);
      if (entry.isIntersecting) seen.add(surface); else seen.delete(surface);
      if (entry.isIntersecting && surface.stale) surface.draw();
    }
  });
  figures.forEach((figure) => watch.observe(figure));

  let waiting = false;
  const turned = () => {
    for (const surface of surfaces) surface.stale = true;
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; seen.forEach((surface) => surface.draw()); });
  };
  const options = document.getElementById("surface-options");
  const choose = (event) => {
    logarithmic = event.target.value === "logarithmic";
    surfaces.forEach((surface) => surface.build());
    turned();
  };
  if (options) {
    options.innerHTML = `<fieldset class="choice"><legend>Heights</legend>${["logarithmic", "linear"].map((kind, i) =>
      `<input type="radio" name="heights" id="heights-${kind}" value="${kind}"${i ? "" : " checked"}>`
      + `<label for="heights-${kind}">${kind}</label>`).join("")}</fieldset>`;
    options.addEventListener("change", choose);
  }

  const turn = (across, up) => {
    camera.turn += across;
    camera.tilt = Math.min(Math.max(camera.tilt + up, 0.05), 1.5);
    turned();
  };
  const KEYS = { ArrowLeft: [-0.12, 0], ArrowRight: [0.12, 0], ArrowUp: [0, 0.08], ArrowDown: [0, -0.08] };

  const point_out = (surface, event) => {
    const box = surface.svg.getBoundingClientRect();
    const scale = box.width / WIDTH;
    const found = surface.nearest((event.clientX - box.left) / scale, (event.clientY - box.top) / scale);
    if (!found) return;
    const size = surface.y[found.row], factor = surface.x[found.column];
    const facts = beside(surface).map((other) => [other.name, other.show(size, factor)])
      .filter(([, value]) => value !== null).map(([name, value]) => [name, `${value} ×`]);
    const title = `|S| = ${surface.lengths[found.row]}, access factor ${surface.factors[found.column]}`;
    mallard.panel.show(surface.mark.getBoundingClientRect(), title, "", facts);
  };
  const forget = (surface) => { beside(surface).forEach((other) => other.forget()); mallard.panel.hide(); };

  for (const surface of surfaces) {
    const { svg } = surface;
    svg.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      svg.setPointerCapture(event.pointerId);
      forget(surface);
    });
    svg.addEventListener("pointermove", (event) => {
      if (svg.hasPointerCapture(event.pointerId)) turn(event.movementX * 0.009, event.movementY * 0.007);
      else if (event.pointerType === "mouse") point_out(surface, event);
    });
    svg.addEventListener("pointerleave", () => forget(surface));
    svg.addEventListener("dblclick", () => { Object.assign(camera, START); turned(); });
    svg.addEventListener("keydown", (event) => {
      const step = KEYS[event.key];
      if (event.key === "Home") { Object.assign(camera, START); turned(); }
      else if (step) turn(...step);
      else return;
      event.preventDefault();
    });
  }
  window.addEventListener("beforeprint", () => surfaces.forEach((surface) => surface.draw()));
});
