// The pointer and the keyboard in heat maps: the panel tells all figures of a cell, the arrow keys go to the next.
"use strict";

mallard.maps.then(({ facts, of, texts }) => {
  const { show, hide } = mallard.panel;

  const explain = (cell) => {
    const { heads, labels, title } = of(cell.closest(".heat"));
    const name = heads[cell.cellIndex - 1], row = labels[cell.parentElement.sectionRowIndex];
    show(cell.getBoundingClientRect(), [name, title, row].join(" · "), texts[name] || texts[row] || "", facts(cell));
  };

  // The heading of a strategy shows its description.
  const explainHead = (head) => {
    const { heads } = of(head.closest(".heat")), columns = head.closest("thead") && [...head.parentElement.cells];
    const name = columns ? heads[columns.indexOf(head) - columns.length + heads.length] : head.textContent;
    if (head.matches(".corner, .family")) return hide();
    if (texts[name]) show(head.getBoundingClientRect(), name, texts[name], []); else hide();
  };

  const at = (event) => {
    const cell = event.target instanceof Element ? event.target.closest(".heat td, .heat th") : null;
    if (!cell) hide(); else if (cell.tagName === "TD") explain(cell); else explainHead(cell);
  };

  const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const neighbour = (cell, [x, y]) => {
    const row = cell.closest("tbody").rows[cell.parentElement.sectionRowIndex + y];
    const next = row?.cells[cell.cellIndex + x];
    return next?.tagName === "TD" ? next : null;
  };

  const move = (event) => {
    const cell = event.target.closest(".heat td");
    if (!cell) return;
    if (event.key === "Escape") hide();
    const next = STEPS[event.key] && neighbour(cell, STEPS[event.key]);
    if (!next) return;
    event.preventDefault();
    cell.removeAttribute("tabindex");
    next.tabIndex = 0;
    next.focus();
  };

  for (const map of document.querySelectorAll(".heat")) {
    map.addEventListener("mouseover", at);
    map.addEventListener("mouseleave", hide);
    map.addEventListener("focusin", at);
    map.addEventListener("focusout", hide);
    map.addEventListener("keydown", move);
    // One stop for Tab in each map; the arrows go on from there.
    const enter = () => { if (!map.querySelector("td[tabindex]")) map.querySelector("td")?.setAttribute("tabindex", 0); };
    new MutationObserver(enter).observe(map.tBodies[0], { childList: true });
    enter();
  }
});
