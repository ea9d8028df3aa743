// The page works without this: it adds the panel with all figures of a cell, for pointer and keyboard.
"use strict";

(() => {
  const panel = document.getElementById("panel");
  const maps = [...document.querySelectorAll(".heat")];
  if (!panel || !maps.length) return;

  const figure = (cell, kind) => {
    const span = cell.querySelector(`:scope > .${kind}`);
    if (!span) return "";
    const small = span.querySelector("small");
    const both = small ? small.textContent : "";
    return { first: span.firstChild ? span.firstChild.textContent : "", both };
  };

  const place = (cell) => {
    const row = cell.parentElement;
    const map = cell.closest(".heat");
    const column = [...row.cells].indexOf(cell);
    const head = map.tHead.rows[1].cells[column - 1];
    return { size: row.cells[0].textContent, name: cell.dataset.k || head.firstChild.textContent, what: head.title,
      type: map.closest(".structure").querySelector("h3").firstChild.textContent };
  };

  const facts = (cell) => {
    if (cell.dataset.s) return [["status", cell.dataset.s]];
    if (!cell.dataset.d) return [["status", "not measured"]];
    const [interval, spread, repetitions, system, major, detail] = cell.dataset.d.split("|");
    const beside = (kind) => {
      const { first, both } = figure(cell, kind);
      if (!both) return "";
      return both.endsWith("ns") ? `${first} / ${both} a leaf` : `${both} % of AS1: ratio ${first}`;
    };
    return [
      ["of AS1", `${figure(cell, "p").first} %` + (interval ? ` (${interval})` : "")],
      ["ns a leaf", `${figure(cell, "n").first} (${spread}; ${repetitions} repetition${repetitions === "1" ? "" : "s"})`],
      ["here / P0213", beside("c")],
      ["here / P0089", beside("d")],
      ["page faults", `${figure(cell, "f").first} in 1000 leaves` + (major !== "0" ? `, ${major} major` : "")],
      ["peak memory", `${figure(cell, "m").first} MiB`],
      ["in the kernel", `${system} % of the time`],
      ["not every time", detail],
    ].filter(([, value]) => value);
  };

  const make = (name, text) => {
    const node = document.createElement(name);
    node.textContent = text;
    return node;
  };

  const show = (cell) => {
    const at = place(cell);
    const list = document.createElement("dl");
    for (const [term, value] of facts(cell)) list.append(make("dt", term), make("dd", value));
    panel.replaceChildren(make("b", `${at.name} · ${at.type} · ${at.size}`), document.createTextNode(at.what), list);
    panel.hidden = false;
    const box = cell.getBoundingClientRect(), own = panel.getBoundingClientRect(), gap = 8;
    const below = box.bottom + gap + own.height < window.innerHeight;
    const left = Math.min(Math.max(gap, box.left + box.width / 2 - own.width / 2), window.innerWidth - own.width - gap);
    panel.style.left = `${left}px`;
    panel.style.top = `${below ? box.bottom + gap : Math.max(gap, box.top - gap - own.height)}px`;
  };

  const hide = () => { panel.hidden = true; };
  const cellOf = (event) => event.target instanceof Element ? event.target.closest(".heat td") : null;

  const move = (cell, key) => {
    const row = cell.parentElement, body = row.parentElement;
    const x = [...row.cells].indexOf(cell), y = [...body.rows].indexOf(row);
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    if (!step) return null;
    const next = body.rows[y + step[1]]?.cells[x + step[0]];
    return next && next.tagName === "TD" ? next : null;
  };

  for (const map of maps) {
    for (const cell of map.tBodies[0].querySelectorAll("td")) cell.tabIndex = -1;
    map.tBodies[0].querySelector("td").tabIndex = 0; // one stop for Tab in each map; the arrows go on from there
    map.addEventListener("mouseover", (event) => { const cell = cellOf(event); if (cell) show(cell); else hide(); });
    map.addEventListener("mouseleave", hide);
    map.addEventListener("focusin", (event) => { const cell = cellOf(event); if (cell) show(cell); });
    map.addEventListener("focusout", hide);
    map.addEventListener("keydown", (event) => {
      const cell = cellOf(event);
      if (!cell) return;
      if (event.key === "Escape") hide();
      const next = move(cell, event.key);
      if (!next) return;
      event.preventDefault();
      cell.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  }
  window.addEventListener("scroll", hide, { passive: true });
})();
