/** Icons on a grid of 24, drawn with strokes. */
import { create } from "./dom.ts";

const SPEAKER = "M4 9v6h4l5 4V5L8 9z";
const PATHS = {
  play: "M8 5v14l11-7z",
  pause: "M8 6v12M16 6v12",
  back: "M10 5h2a8 8 0 1 1-8 6M13 2l-3 3 3 3",
  forward: "M14 5h-2a8 8 0 1 0 8 6M11 2l3 3-3 3",
  volume: `${SPEAKER}M16 9a4 4 0 0 1 0 6M18 6a8 8 0 0 1 0 12`,
  muted: `${SPEAKER}M17 9l5 6M22 9l-5 6`,
  more: "M5 12h0M12 12h0M19 12h0",
  close: "M6 6l12 12M18 6L6 18",
  open: "M9 5H5v14h14v-4M13 5h6v6M19 5l-8 8",
};

/** An icon, with up to two digits in it. */
export function icon(name: keyof typeof PATHS, digits?: number): HTMLElement {
  const [svg, path] = ["svg", "path"].map((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));
  svg.setAttribute("viewBox", "0 0 24 24");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return create("span", { class: `icon ${name}`, "aria-hidden": "true" }, svg, digits && String(digits));
}
