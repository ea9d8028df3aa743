// Marks in the navigation the section that is being read.
"use strict";

(() => {
  const nav = document.querySelector("nav");
  const links = new Map([...nav.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  const parts = [...document.querySelectorAll("section.part")];
  let marked = null;

  const read = () => {
    const line = window.innerHeight / 3;
    const current = parts.filter((part) => part.getBoundingClientRect().top < line).at(-1);
    const link = current ? links.get(current.id) : null;
    if (link === marked) return;
    marked?.removeAttribute("aria-current");
    link?.setAttribute("aria-current", "true");
    marked = link;
    if (link) nav.scrollLeft = link.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2; // where it is cut off
  };

  let waiting = false;
  window.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; read(); });
  }, { passive: true });
  read();
})();
