// The page's data: one compressed JSON (shared/report/page.py).
"use strict";

mallard.ready = (async () => {
  const packed = Uint8Array.from(atob(document.getElementById("report-data").textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
})();

// Equal to shared/report/figures.py.
mallard.words = (() => {
  const digits = (value) => (value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2));
  const scaled = (value, base, units) => {
    let power = 0;
    while (value >= base * 0.9995 && power < units.length - 1) { value /= base; power += 1; }
    return `${digits(value)} ${units[power]}`.trim();
  };
  const count = (value) => (value <= 99999 ? Math.round(value).toLocaleString("en") : scaled(value, 1000, ["", "k", "M", "G", "T", "P", "E"]));
  const size = (value) => (value < 1024 ? `${Math.round(value)} B` : scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]));
  const share = (part, whole) => {
    const percent = whole ? 100 * part / whole : 0;
    if (percent <= 0) return "0 %";
    if (percent < 0.1) return "<0.1 %";
    return percent < 9.95 ? `${percent.toFixed(1)} %` : percent >= 99.5 && percent < 100 ? ">99 %" : `${percent.toFixed(0)} %`;
  };
  const time = (value) => {
    if (value <= 0) return "0 s";
    const [factor, unit] = [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]].find(([least]) => value >= least * 0.9995) ?? [1e-9, "ns"];
    return `${digits(value / factor)} ${unit}`;
  };
  return { count, size, share, time };
})();
