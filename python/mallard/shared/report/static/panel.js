// The panel that describes the element under the pointer or the focus.
"use strict";

const mallard = {};

mallard.make = (name, text = "", attributes = {}) => {
  const node = document.createElement(name);
  node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
};

mallard.panel = (() => {
  const panel = document.getElementById("panel"), { make } = mallard;

  // `box` is the described element. The panel is below it, or above it if there is no room.
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
