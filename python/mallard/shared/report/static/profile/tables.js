// Tables: a heading sorts by its figures, and a stack that is opened gets all its levels.
"use strict";

// A long table of long rows shows the first until it is asked for all.
for (const table of document.querySelectorAll(".facts-table:is(.noted, .stacks)")) {
  const MOST = 20, rows = table.tBodies.length > 1 ? table.tBodies.length : table.tBodies[0].rows.length;
  if (rows <= MOST * 1.25) continue;
  const all = mallard.make("button", `all ${rows} rows`, { type: "button", class: "all-rows" });
  table.classList.add("short");
  all.addEventListener("click", () => {
    table.classList.remove("short");
    all.remove();
  });
  table.closest(".wide").after(all);
}

for (const table of document.querySelectorAll(".sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  // A row of a scope has a second one below it, in a body of its own.
  const rowsOf = () => (table.tBodies.length > 1 ? [...table.tBodies] : [...table.tBodies[0].rows]);
  const cellsOf = (row) => (row.cells ? row : row.rows[0]).cells;
  const first = rowsOf();
  const sort = (head) => {
    const column = heads.indexOf(head), falling = head.getAttribute("aria-sort") !== "descending";
    for (const cell of heads) cell.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    const value = (row) => Number(cellsOf(row)[column].dataset.v);
    const sorted = [...first].sort((a, b) => (falling ? value(b) - value(a) : value(a) - value(b)));
    (table.tBodies.length > 1 ? table : table.tBodies[0]).append(...sorted);
  };
  if (first.length < 2) continue;
  for (const head of heads) {
    if (cellsOf(first[0])[heads.indexOf(head)]?.dataset.v === undefined) continue;
    head.tabIndex = 0;
    head.addEventListener("click", () => sort(head));
    head.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      sort(head);
    });
  }
}

mallard.ready.then(({ names, stacks }) => {
  const { make } = mallard;
  const level = (number) => {
    const [short, full, source] = names[number];
    const text = make("span", "", { class: "fn", title: full });
    text.append(make("b", short), make("small", source));
    const item = make("li");
    item.append(text);
    return item;
  };
  document.addEventListener("toggle", ({ target }) => {
    const stack = stacks[target.dataset?.stack];
    if (!stack || !target.open) return;
    target.querySelector("ol").replaceChildren(...stack.map(level));
    delete target.dataset.stack;
  }, true);
});
