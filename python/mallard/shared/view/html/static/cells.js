// The other figures of heat maps. The data is one JSON (cell_data of heat_map.py). A choice puts another figure of each cell
// into its table, by the templates of the table's form.
"use strict";

mallard.ready = (async () => {
  const packed = Uint8Array.from(atob(document.getElementById("cells").textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const { forms, tables, plots, steps, texts } = await new Response(stream).json();

  class Cells {
    constructor(table, { form, title, heads, labels, columns }) {
      Object.assign(this, { title, heads, labels, form: forms[form] });
      const [[first, { missing }]] = Object.entries(this.form.choices);
      const written = () => [...table.querySelectorAll("td")].map((td) => td.firstChild?.data ?? "")
        .map((text) => (text === missing ? "" : text));
      this.columns = columns.map((column) => column?.split("\n") ?? written());
      this.width = columns.length ? heads.length : 0;
      this.kind = table.querySelector("td") ? first : null; // the figures in view
    }

    // The letters of its colours and its values; "!" and its status, short and in full; or nothing.
    at(y, x) {
      return this.columns.map((column) => column[y * this.width + x]);
    }
  }

  const of = new Map([...document.querySelectorAll(".heat")].map((table, i) => [table, new Cells(table, tables[i])]));
  const measured = (cell) => cell[0] !== "" && cell[0] !== "!";

  // Equal to expand() in heat_map.py: square brackets are left out if a value in them is missing.
  const fill = (template, form, cell) => {
    const value = (name) => cell[1 + form.values.indexOf(name)];
    const there = (part) => ([...part.matchAll(/{(.+?)}/g)].every(([, name]) => value(name)) ? part : "");
    for (let before = null; before !== template;) {
      before = template;
      template = template.replace(/\[([^[\]]*)\]/g, (_, part) => there(part));
    }
    return there(template).replace(/{(.+?)}/g, (_, name) => value(name));
  };

  const step = (letter) => {
    const name = steps[letter.toLowerCase().charCodeAt(0) - 97];
    return letter === letter.toLowerCase() ? name : `${name} best`;
  };

  const make = (name, text) => Object.assign(document.createElement(name), { textContent: text });

  const write = (td, form, cell, kind) => {
    const { shows, colour, missing } = form.choices[kind];
    const [text, small] = (fill(shows, form, cell) || missing).split("\n");
    td.className = step(cell[0][colour]);
    td.replaceChildren(text, ...(small ? [make("small", small)] : []));
  };

  const show = (table, kind) => {
    const cells = of.get(table);
    if (cells.kind === kind) return;
    cells.kind = table.dataset.kind = kind;
    cells.labels.forEach((_, y) => {
      const row = table.tBodies[0].rows[y];
      for (let x = 0; x < cells.width; x++) {
        const cell = cells.at(y, x);
        if (measured(cell)) write(row.cells[x + 1], cells.form, cell, kind);
      }
    });
  };

  // A table that is folded away has no rows until it is opened.
  const unfold = (table) => {
    const cells = of.get(table), body = table.tBodies[0];
    if (body.rows.length) return;
    body.append(...cells.labels.map((label, y) => {
      const row = make("tr", "");
      row.append(make("th", label));
      for (let x = 0; x < cells.width; x++) {
        const [kind, text] = cells.at(y, x);
        row.append(Object.assign(make("td", kind === "!" ? text : ""), { className: kind === "!" ? "broken" : "" }));
      }
      return row;
    }));
  };

  const choicesOf = (maps) => of.get(maps.querySelector(".heat")).form.choices;

  const addButtons = (maps) => {
    const controls = maps.querySelector(".controls"), fields = make("fieldset", ""), { name } = controls.dataset;
    fields.className = "choice";
    fields.append(Object.assign(make("legend", "The maps show"), { className: "unseen" }));
    Object.entries(choicesOf(maps)).forEach(([kind, { label }], i) => {
      const id = `${name}-${kind}`, input = document.createElement("input");
      fields.append(Object.assign(input, { type: "radio", name, id, value: kind, defaultChecked: !i }),
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
    const kind = maps.querySelector(".choice :checked").value;
    explain(maps, choicesOf(maps)[kind]);
    if (maps.closest("details:not([open])")) return;
    for (const table of maps.querySelectorAll(".heat")) {
      unfold(table);
      show(table, kind);
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
        show(table, Object.keys(of.get(table).form.choices)[0]);
      }
    });
  }

  // The panel's text for a cell: [term, text] each.
  const facts = (td) => {
    const cells = of.get(td.closest(".heat")), cell = cells.at(td.parentElement.sectionRowIndex, td.cellIndex - 1);
    if (!measured(cell)) return [["status", cell[2] || "not measured"]];
    return cells.form.terms.map(([term, template]) => [term, fill(template, cells.form, cell)]).filter(([, text]) => text);
  };

  return { facts, of: (table) => of.get(table), plots, texts };
})();
