// The other figures of heat maps (maps_data of page_map.py). A choice puts another layer of each map into its table.
"use strict";

mallard.maps = mallard.ready.then(({ maps: { forms, tables, steps }, texts }) => {
  const { make } = mallard;
  const LONG = 6; // letters of a text that needs a smaller font

  class Cells {
    constructor(table, { form, title, heads, labels, columns }) {
      Object.assign(this, { title, heads, labels, form: forms[form] });
      const { missing } = this.form.layers[0];
      const written = () => [...table.querySelectorAll("td")].map((td) => {
        const text = td.firstChild?.data ?? "", small = td.querySelector("small");
        return text === missing ? "" : small ? `${text}\t${small.textContent}` : text;
      });
      this.columns = columns.map((column) => column?.split("\n") ?? written());
      this.width = columns.length ? heads.length : 0;
      this.layer = table.querySelector("td") ? 0 : null; // in view
    }

    // The letters of its colours, the texts of the layers and the facts; "!" and its status, short and in full; or nothing.
    at(y, x) {
      return this.columns.map((column) => column[y * this.width + x]);
    }
  }

  const of = new Map([...document.querySelectorAll(".heat")].map((table, i) => [table, new Cells(table, tables[i])]));
  const measured = (cell) => cell[0] !== "" && cell[0] !== "!";

  const step = (letter) => {
    const name = steps[letter.toLowerCase().charCodeAt(0) - 97];
    return letter === letter.toLowerCase() ? name : `${name} best`;
  };

  const write = (td, form, cell, layer) => {
    const [text, small] = (cell[1 + layer] || form.layers[layer].missing).split("\t");
    td.className = step(cell[0][layer]);
    td.replaceChildren(text, ...(small ? [make("small", small)] : []));
  };

  const show = (table, layer) => {
    const cells = of.get(table);
    if (cells.layer === layer) return;
    cells.layer = layer;
    cells.labels.forEach((_, y) => {
      const row = table.tBodies[0].rows[y];
      for (let x = 0; x < cells.width; x++) {
        const cell = cells.at(y, x);
        if (measured(cell)) write(row.cells[x + 1], cells.form, cell, layer);
      }
    });
    table.classList.toggle("long", cells.columns[1 + layer].some((text) => text?.split("\t")[0].length > LONG));
  };

  // A table that is folded away has no rows until it is opened.
  const unfold = (table) => {
    const cells = of.get(table), body = table.tBodies[0];
    if (body.rows.length) return;
    body.append(...cells.labels.map((label, y) => {
      const row = make("tr", "");
      row.append(make("th", label));
      for (let x = 0; x < cells.width; x++) {
        const [letters, text] = cells.at(y, x), failed = letters === "!";
        row.append(Object.assign(make("td", failed ? text : ""), { className: failed ? "broken" : "" }));
      }
      return row;
    }));
  };

  const layersOf = (maps) => of.get(maps.querySelector(".heat")).form.layers;

  const addButtons = (maps) => {
    const controls = maps.querySelector(".controls"), fields = make("fieldset", ""), { name } = controls.dataset;
    fields.className = "choice";
    fields.append(Object.assign(make("legend", "The maps show"), { className: "unseen" }));
    layersOf(maps).forEach(({ label }, i) => {
      const id = `${name}-${i}`, input = document.createElement("input");
      fields.append(Object.assign(input, { type: "radio", name, id, value: i, defaultChecked: !i }),
        Object.assign(make("label", label), { htmlFor: id }));
    });
    controls.prepend(fields);
  };

  const explain = (maps, { text, legend }) => {
    maps.querySelector(".legend p").textContent = text;
    maps.querySelector(".steps").replaceChildren(...legend.map(([step, words]) =>
      Object.assign(make("li", words), { className: step })));
  };

  const update = (maps) => {
    const layer = Number(maps.querySelector(".choice :checked").value);
    explain(maps, layersOf(maps)[layer]);
    if (maps.closest("details:not([open])")) return;
    for (const table of maps.querySelectorAll(".heat")) {
      unfold(table);
      show(table, layer);
    }
  };

  for (const maps of document.querySelectorAll(".maps:has(.heat)")) {
    addButtons(maps);
    maps.addEventListener("change", () => update(maps));
    update(maps);
  }
  for (const fold of document.querySelectorAll("details")) {
    fold.addEventListener("toggle", () => {
      fold.querySelectorAll(".maps:has(.heat)").forEach(update);
      for (const table of fold.querySelectorAll(".heat")) {
        if (table.closest(".maps")) continue;
        unfold(table);
        show(table, 0);
      }
    });
  }

  // The panel's text for a cell: [term, text] each.
  const facts = (td) => {
    const cells = of.get(td.closest(".heat")), cell = cells.at(td.parentElement.sectionRowIndex, td.cellIndex - 1);
    if (!measured(cell)) return [["status", cell[2] || "not measured"]];
    const { layers, terms } = cells.form, names = [...layers.map(({ label }) => label), ...terms];
    return names.map((name, i) => [name, cell[1 + i]?.replace("\t", "; ")]).filter(([, text]) => text);
  };

  return { facts, of: (table) => of.get(table), texts };
});
