// The flame graph: all nodes of a figure; a click makes a node as wide as the graph; words mark functions. Callers stand
// below on request, and all calls of a chosen function are one.
"use strict";

mallard.ready.then(({ flame, names }) => {
  const graph = document.querySelector(".flame");
  if (!flame || !graph) return;
  const { make, panel, words: { count, size, share } } = mallard;
  const LEAST = 1.2; // pixels of a node that is drawn
  const LETTER = 6.4, GAP = -1;
  const FIELDS = ["allocations", "bytes", "contained", "operations", "peak", "alive"];
  const rows = graph.querySelector(".rows");
  const state = { mode: flame.mode, isInverted: false, only: null, root: 0, search: "", focus: 0 };
  let tree = flame, values = [], children = [], drawn = new Map();

  const name = (node) => (node && tree.name[node] >= 0 ? names[tree.name[node]][0] : node ? "?" : "all");
  const parentIn = (some, node) => (some.parent[node] >= 0 && some.parent[node] < node ? some.parent[node] : 0);
  const parent = (node) => parentIn(tree, node);
  const colour = (node) => `c${flame.steps.filter((end) => tree.shares[node] > end).length}`;

  // Of each node, at least the sum of its children's.
  const widths = (some, field) => {
    const all = some[field].slice(), below = new Array(all.length).fill(0);
    for (let at = all.length - 1; at > 0; at--) {
      all[at] = Math.max(all[at], below[at]);
      below[parentIn(some, at)] += all[at];
    }
    all[0] = below[0];
    return all;
  };

  // A tree to which nodes of the graph are added: those of a function below the same node are one. Its shares are means by width.
  const grow = () => {
    const grown = { parent: [-1], name: [-1], shares: [0] }, known = new Map(), part = [0], sum = [0];
    for (const field of FIELDS) grown[field] = [0];
    const child = (node, function_) => {
      const key = `${node} ${function_}`;
      if (!known.has(key)) {
        known.set(key, grown.parent.push(node) - 1);
        grown.name.push(function_);
        for (const list of [grown.shares, part, sum, ...FIELDS.map((field) => grown[field])]) list.push(0);
      }
      return known.get(key);
    };
    const add = (node, from, amounts) => {
      for (const field of FIELDS) grown[field][node] += amounts[field][from];
      part[node] += flame.shares[from] * amounts[state.mode][from];
      sum[node] += amounts[state.mode][from];
      grown.shares[node] = sum[node] ? part[node] / sum[node] : 0;
    };
    return { grown, child, add };
  };

  // Callers below callees, from the functions that allocate, or from the chosen function.
  const invert = (amounts, isBegin) => {
    const { grown, child, add } = grow();
    for (let from = 1; from < flame.parent.length; from++) {
      if (!isBegin(from)) continue;
      for (let node = from, to = 0; node; node = parentIn(flame, node)) {
        to = child(to, flame.name[node]);
        add(to, from, amounts);
      }
    }
    return grown;
  };

  // All calls of the chosen function as one, with what they call.
  const merge = (amounts, isBegin) => {
    const { grown, child, add } = grow(), place = [];
    for (let node = 1; node < flame.parent.length; node++) {
      const above = place[parentIn(flame, node)];
      if (above === undefined && !isBegin(node)) continue;
      place[node] = child(above ?? 0, flame.name[node]);
      add(place[node], node, amounts);
    }
    return grown;
  };

  const arrange = () => {
    if (!state.isInverted && state.only === null) return flame;
    const amounts = Object.fromEntries(FIELDS.map((field) => [field, widths(flame, field)]));
    if (state.only === null) {
      const own = Object.fromEntries(FIELDS.map((field) => [field, amounts[field].slice()]));
      for (const field of FIELDS) {
        for (let node = 1; node < flame.parent.length; node++) own[field][parentIn(flame, node)] -= amounts[field][node];
      }
      return invert(own, (node) => FIELDS.some((field) => own[field][node] > 0));
    }
    const inside = []; // below a call of the function
    for (let node = 1; node < flame.parent.length; node++) {
      const above = parentIn(flame, node);
      inside[node] = above > 0 && (inside[above] || flame.name[above] === state.only);
    }
    const isBegin = (node) => flame.name[node] === state.only && !inside[node];
    return state.isInverted ? invert(amounts, isBegin) : merge(amounts, isBegin);
  };

  const measure = () => {
    tree = arrange();
    values = widths(tree, state.mode);
    children = values.map(() => []);
    for (let at = 1; at < values.length; at++) if (values[at] > 0) children[parent(at)].push(at);
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
    return parts.length ? (node) => node > 0 && Boolean(hits[tree.name[node]]) : null;
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
    reset.hidden = !state.root && state.only === null;
    everywhere.hidden = !state.root || tree.name[state.root] < 0 || tree.name[state.root] === state.only;
    everywhere.textContent = `all calls of ${label(name(state.root), 0)}`;
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
    const { node } = element, [, full, source] = names[tree.name[node]] ?? ["", "the whole process", ""];
    panel.show(element.getBoundingClientRect(), full, source, [
      ["of the graph", share(values[node], values[0])],
      ["allocated", `${count(tree.allocations[node])} of ${size(tree.bytes[node])}`],
      ["at the peak", size(tree.peak[node])],
      ["never freed", size(tree.alive[node])],
      ["contained", `${size(tree.contained[node])} (${share(tree.contained[node], tree.bytes[node])})`],
      ["operations", count(tree.operations[node])],
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

  const arranged = () => {
    measure();
    state.root = state.focus = firstDivided();
    draw();
  };

  const choose = (function_) => {
    state.only = function_;
    arranged();
  };

  // A group of buttons of which one is chosen.
  const radios = (title, group, options, chosen, change) => {
    const choice = make("fieldset", "", { class: "choice" });
    choice.append(make("legend", title, { class: "unseen" }));
    for (const [value, text] of options) {
      const id = `flame-${value}`, input = make("input", "", { type: "radio", name: group, id, value });
      input.checked = value === chosen;
      input.addEventListener("change", () => change(value));
      choice.append(input, make("label", text, { for: id }));
    }
    return choice;
  };

  const controls = document.querySelector(".flame-controls");
  const about = controls.querySelector("p > span");
  const choice = radios("Widths show", "flame", flame.modes, state.mode, (mode) => {
    about.textContent = flame.modes.find(([other]) => other === mode)[2];
    state.mode = mode;
    arranged();
  });
  const order = radios("Below a function", "order", [["callees", "callees below"], ["callers", "callers below"]], "callees", (below) => {
    state.isInverted = below === "callers";
    arranged();
  });
  const everywhere = make("button", "", { type: "button" });
  const reset = make("button", "whole graph", { type: "button" });
  const search = make("input", "", { type: "search", placeholder: "function", "aria-label": "Mark functions" });
  const output = make("output");
  order.append(reset, everywhere, search, output);
  controls.prepend(choice, order);

  everywhere.addEventListener("click", () => choose(tree.name[state.root]));
  reset.addEventListener("click", () => {
    if (state.only !== null) {
      state.only = null;
      measure();
    }
    zoom(0);
  });
  search.addEventListener("keydown", ({ key }) => {
    const hit = matches();
    if (key !== "Enter" || !hit) return;
    const hits = values.map((_, node) => node).filter((node) => hit(node) && values[node] > 0);
    if (hits.length) choose(tree.name[hits.reduce((widest, node) => (values[node] > values[widest] ? node : widest))]);
  });
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
  arranged();
});
