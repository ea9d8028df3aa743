// The flame graph: all nodes of a figure; a click makes a node as wide as the graph; words mark functions.
"use strict";

mallard.ready.then(({ flame, names }) => {
  const graph = document.querySelector(".flame");
  if (!flame || !graph) return;
  const { make, panel, words: { count, size, share } } = mallard;
  const LEAST = 1.2; // pixels of a node that is drawn
  const LETTER = 6.4, GAP = -1;
  const FIELDS = { contained: flame.contained, bytes: flame.bytes, operations: flame.operations };
  const rows = graph.querySelector(".rows"), nodes = flame.parent.length;
  const state = { mode: flame.mode, root: 0, search: "", focus: 0 };
  let values = [], children = [], drawn = new Map();

  const name = (node) => (node && flame.name[node] >= 0 ? names[flame.name[node]][0] : node ? "?" : "all");
  const parent = (node) => (flame.parent[node] >= 0 && flame.parent[node] < node ? flame.parent[node] : 0);
  const colour = (node) => flame.colours[node];

  // Equal to widths() and layout() in page_flame.py.
  const measure = () => {
    values = FIELDS[state.mode].slice();
    children = Array.from({ length: nodes }, () => []);
    const below = new Array(nodes).fill(0);
    for (let at = nodes - 1; at > 0; at--) {
      values[at] = Math.max(values[at], below[at]);
      below[parent(at)] += values[at];
    }
    values[0] = below[0];
    for (let at = 1; at < nodes; at++) if (values[at] > 0) children[parent(at)].push(at);
    for (const list of children) list.sort((one, other) => values[other] - values[one] || one - other);
  };

  const line = (node) => {
    const found = [];
    for (let at = node; ; at = parent(at)) {
      found.unshift(at);
      if (!at) return found;
    }
  };

  // The rows above a node: all callers, or the root, a row for the calls between, and the last one.
  const above = (node) => {
    const outer = line(node).slice(0, -1);
    return outer.length > 3 ? [0, GAP, outer.at(-1)] : outer;
  };

  const label = (text, pixels) => {
    if (text.length * LETTER + 8 <= pixels) return text;
    const last = text.split("::").at(-1), offset = last.indexOf("+0x");
    return offset < 0 ? last : last.slice(offset);
  };

  const firstDivided = () => {
    let at = 0;
    while (children[at].length && values[children[at][0]] >= flame.nearly * values[0]) [at] = children[at];
    return at;
  };

  const matches = () => {
    const parts = state.search.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = names.map(([, full]) => parts.every((part) => full.toLowerCase().includes(part)));
    return parts.length ? (node) => node > 0 && Boolean(hits[flame.name[node]]) : null;
  };

  const draw = () => {
    const least = LEAST / graph.clientWidth, hit = matches(), found = [], outer = above(state.root);
    const gap = (depth) => {
      const element = make("i", `${line(state.root).length - 3} calls between`, { class: "gap outer", style: `left:0;width:100%;top:${depth * flame.row}px` });
      element.zoomsTo = 0;
      found.push(element);
    };
    const box = (node, left, width, depth, class_) => {
      const element = make("i", label(name(node), width * graph.clientWidth), {
        class: `${colour(node)} ${class_} ${hit?.(node) ? "hit" : ""}`.trim(),
        style: `left:${100 * left}%;width:${100 * width}%;top:${depth * flame.row}px`,
      });
      element.node = element.zoomsTo = node;
      drawn.set(node, element);
      found.push(element);
    };
    drawn = new Map();
    outer.forEach((node, depth) => (node === GAP ? gap(depth) : box(node, 0, 1, depth, "outer")));
    const waiting = [[state.root, 0, 1, outer.length]];
    let deepest = 0;
    for (const [node, left, width, depth] of waiting) {
      box(node, left, width, depth, "");
      deepest = Math.max(deepest, depth);
      let next = left;
      for (const child of children[node]) {
        const own = width * values[child] / (values[node] || 1);
        if (own >= least) waiting.push([child, next, own, depth + 1]);
        next += own;
      }
    }
    rows.style.height = `${(deepest + 1) * flame.row}px`;
    rows.classList.toggle("searching", Boolean(hit));
    rows.replaceChildren(...found);
    reset.hidden = !state.root;
    tell(hit);
    enter(drawn.has(state.focus) ? state.focus : state.root);
  };

  // The share of the graph below the outermost matching nodes.
  const tell = (hit) => {
    if (!hit) { output.textContent = ""; return; }
    let sum = 0;
    const waiting = [state.root];
    for (const node of waiting) {
      if (hit(node)) sum += values[node]; else waiting.push(...children[node]);
    }
    output.textContent = `${share(sum, values[state.root])} match`;
  };

  const enter = (node) => {
    drawn.get(state.focus)?.removeAttribute("tabindex");
    state.focus = node;
    drawn.get(node)?.setAttribute("tabindex", 0);
  };

  const explain = (element) => {
    const { node } = element, [, full, source] = names[flame.name[node]] ?? ["", "the whole process", ""];
    panel.show(element.getBoundingClientRect(), full, source, [
      ["of the graph", share(values[node], values[0])],
      ["allocated", `${count(flame.allocations[node])} of ${size(flame.bytes[node])}`],
      ["contained", `${size(flame.contained[node])} (${share(flame.contained[node], flame.bytes[node])})`],
      ["operations", count(flame.operations[node])],
      ...(flame.told.length ? [[flame.label, flame.told[node]]] : []),
    ]);
  };

  const zoom = (node) => {
    state.root = state.focus = node;
    panel.hide();
    draw();
  };

  const neighbour = (node, key) => {
    const siblings = node ? children[parent(node)] : [0], at = siblings.indexOf(node);
    return { ArrowUp: parent(node), ArrowDown: children[node][0], ArrowLeft: siblings[at - 1], ArrowRight: siblings[at + 1] }[key];
  };

  const controls = document.querySelector(".flame-controls");
  const about = controls.querySelector("p > span");
  const choice = make("fieldset", "", { class: "choice" });
  choice.append(make("legend", "Widths show", { class: "unseen" }));
  for (const [mode, label, text] of flame.modes) {
    const id = `flame-${mode}`, input = make("input", "", { type: "radio", name: "flame", id, value: mode });
    input.checked = mode === state.mode;
    input.addEventListener("change", () => {
      about.textContent = text;
      state.mode = mode;
      measure();
      state.root = firstDivided();
      draw();
    });
    choice.append(input, make("label", label, { for: id }));
  }
  const reset = make("button", "whole graph", { type: "button" });
  const search = make("input", "", { type: "search", placeholder: "function", "aria-label": "Mark functions" });
  const output = make("output");
  choice.append(reset, search, output);
  controls.prepend(choice);

  reset.addEventListener("click", () => zoom(0));
  search.addEventListener("input", () => { state.search = search.value; draw(); });
  rows.addEventListener("click", ({ target }) => { if (target.zoomsTo !== undefined) zoom(target.zoomsTo); });
  rows.addEventListener("mouseover", ({ target }) => (target.node === undefined ? panel.hide() : explain(target)));
  rows.addEventListener("mouseleave", panel.hide);
  rows.addEventListener("focusin", ({ target }) => { if (target.node !== undefined) explain(target); });
  rows.addEventListener("focusout", panel.hide);
  rows.addEventListener("keydown", (event) => {
    const { node } = event.target;
    if (node === undefined) return;
    if (event.key === "Enter" || event.key === " ") zoom(node);
    else if (event.key === "Escape") zoom(0);
    else if (event.key === "ArrowUp" && node === state.root && node) zoom(parent(node));
    else {
      const next = neighbour(node, event.key);
      if (next === undefined || !drawn.has(next)) return;
      enter(next);
    }
    event.preventDefault();
    drawn.get(state.focus)?.focus();
  });
  let width = 0;
  new ResizeObserver(() => {
    if (graph.clientWidth === width) return;
    width = graph.clientWidth;
    draw();
  }).observe(graph);
  graph.removeAttribute("tabindex");
  measure();
  state.root = state.focus = firstDivided();
  draw();
});
