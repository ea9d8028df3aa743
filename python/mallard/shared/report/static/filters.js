// A search for words next to the filters of the style sheet, and the number of rows in view.
"use strict";

for (const filters of document.querySelectorAll(".filters")) {
  const search = filters.querySelector("[type=search]"), shown = filters.querySelector("output");
  const rows = [...document.querySelectorAll(`#${filters.dataset.table} tbody tr`)]
    .map((row) => ({ row, text: row.textContent.toLowerCase() }));

  const update = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { row, text } of rows) row.classList.toggle("unmatched", !words.every((word) => text.includes(word)));
    const count = rows.filter(({ row }) => getComputedStyle(row).display !== "none").length;
    shown.textContent = count === rows.length ? `${count} rows` : `${count} of ${rows.length} rows`;
  };

  search.addEventListener("input", update);
  filters.addEventListener("change", update);
  update(); // the browser may have kept choices over a reload
}
