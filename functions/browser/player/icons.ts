/** Icons on a grid of 24, drawn with strokes. */
const SPEAKER = "M4 9.5v5h3.5L12 18.5v-13L7.5 9.5z";
const PATHS = {
  play: "M8.5 5.5v13l10.5-6.5z",
  pause: "M8.5 6v12M15.5 6v12",
  back: "M10 4.5h2a8.5 8.5 0 1 1-8.2 6.2M12.7 1.6 9.8 4.5l2.9 2.9",
  forward: "M14 4.5h-2a8.5 8.5 0 1 0 8.2 6.2M11.3 1.6l2.9 2.9-2.9 2.9",
  volume: `${SPEAKER}M15.5 9.2a4 4 0 0 1 0 5.6M18 6.5a7.8 7.8 0 0 1 0 11`,
  muted: `${SPEAKER}m4 4 5 5m0-5-5 5`,
  more: "M5 12h.01M12 12h.01M19 12h.01",
  close: "M6 6l12 12M18 6 6 18",
  open: "M9 5H5v14h14v-4M13.5 5H19v5.5M19 5l-8 8",
};
export type IconName = keyof typeof PATHS;

const SVG = "http://www.w3.org/2000/svg";

/** An icon with up to two digits in it. */
export function icon(name: IconName, digits?: number): SVGElement {
  const svg = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", name);
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  if (digits) {
    const text = document.createElementNS(SVG, "text");
    text.setAttribute("x", "12");
    text.setAttribute("y", "16");
    text.textContent = String(digits);
    svg.append(text);
  }
  return svg;
}
