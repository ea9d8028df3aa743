// Marks in the navigation the section that is being read.
"use strict";

(() => {
  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  const parts = [...document.querySelectorAll("section.part")];

  const read = () => {
    const line = window.innerHeight / 3;
    const current = parts.filter((part) => part.getBoundingClientRect().top < line).at(-1);
    for (const [name, link] of links) {
      if (current && current.id === name) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };

  let waiting = false;
  window.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; read(); });
  }, { passive: true });
  read();
})();
