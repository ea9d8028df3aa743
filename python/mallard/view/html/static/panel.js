// The page works without this: it adds the panel with all figures of a cell, for pointer and keyboard.
"use strict";

const mallard = {};

mallard.panel = (() => {
  const panel = document.getElementById("panel");

  const make = (name, text) => {
    const node = document.createElement(name);
    node.textContent = text;
    return node;
  };

  // `box` is what the panel explains; it stands below that, or above where there is no room.
  const show = (box, title, what, facts) => {
    const list = document.createElement("dl");
    for (const [term, value] of facts) list.append(make("dt", term), make("dd", value));
    panel.replaceChildren(make("b", title), document.createTextNode(what), list);
    panel.hidden = false;
    const own = panel.getBoundingClientRect(), gap = 8;
    const below = box.bottom + gap + own.height < window.innerHeight;
    const left = Math.min(Math.max(gap, box.left + box.width / 2 - own.width / 2), window.innerWidth - own.width - gap);
    panel.style.left = `${left}px`;
    panel.style.top = `${below ? box.bottom + gap : Math.max(gap, box.top - gap - own.height)}px`;
  };

  const hide = () => { panel.hidden = true; };
  window.addEventListener("scroll", hide, { passive: true });
  return { show, hide };
})();

(() => {
  const { show, hide } = mallard.panel;

  const facts = (map, cell) => {
    if (cell.dataset.s) return [["status", cell.dataset.s]];
    if (!cell.dataset.d) return [["status", "not measured"]];
    const values = cell.dataset.d.split("|");
    return JSON.parse(map.dataset.terms).map((term, i) => [term, values[i]]).filter(([, value]) => value);
  };

  const explain = (cell) => {
    const map = cell.closest(".heat"), row = cell.parentElement;
    const head = [...map.tHead.rows].at(-1);
    const column = [...row.cells].indexOf(cell) - (map.tHead.rows.length > 1 ? 1 : 0);
    const heading = head.cells[column];
    const name = cell.dataset.k || heading.dataset.name || heading.firstChild.textContent;
    show(cell.getBoundingClientRect(), [name, map.dataset.title, row.cells[0].textContent].join(" · "),
      heading.title, facts(map, cell));
  };

  const cellOf = (event) => (event.target instanceof Element ? event.target.closest(".heat td") : null);

  const move = (cell, key) => {
    const row = cell.parentElement, body = row.parentElement;
    const x = [...row.cells].indexOf(cell), y = [...body.rows].indexOf(row);
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    if (!step) return null;
    const next = body.rows[y + step[1]]?.cells[x + step[0]];
    return next && next.tagName === "TD" ? next : null;
  };

  for (const map of document.querySelectorAll(".heat")) {
    for (const cell of map.tBodies[0].querySelectorAll("td")) cell.tabIndex = -1;
    map.tBodies[0].querySelector("td").tabIndex = 0; // one stop for Tab in each map; the arrows go on from there
    map.addEventListener("mouseover", (event) => { const cell = cellOf(event); if (cell) explain(cell); else hide(); });
    map.addEventListener("mouseleave", hide);
    map.addEventListener("focusin", (event) => { const cell = cellOf(event); if (cell) explain(cell); });
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
})();
