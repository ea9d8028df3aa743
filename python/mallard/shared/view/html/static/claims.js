// The claims: a search for words beside the filters of the style sheet, and the number in view.
"use strict";

(() => {
  const search = document.getElementById("claims-search"), shown = document.getElementById("claims-shown");
  if (!search || !shown) return;
  const section = document.getElementById("claims");
  const rows = [...section.querySelectorAll(".claims tbody tr")].map((row) => ({ row, text: row.textContent.toLowerCase() }));

  const update = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { row, text } of rows) row.classList.toggle("unmatched", !words.every((word) => text.includes(word)));
    const count = rows.filter(({ row }) => getComputedStyle(row).display !== "none").length;
    shown.textContent = count === rows.length ? `${count} claims` : `${count} of ${rows.length} claims`;
  };

  search.addEventListener("input", update);
  section.addEventListener("change", update);
  update(); // the browser may have kept choices over a reload
})();
