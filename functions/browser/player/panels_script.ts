/** The second script, which fills the panels. It is loaded when it is first needed. */
import type { FillPanel, PanelName } from "./context.ts";
import { scriptBase } from "./data.ts";

/** A digest of the script that belongs to this one: scripts/build_browser.ts defines it. */
declare const PANELS_VERSION: string;

interface PanelsScript {
  panels: Record<PanelName, FillPanel>;
  css: string;
}

/** The script once it is loaded. */
export let panelsScript: PanelsScript | undefined;
let loading: Promise<PanelsScript> | undefined, attempts = 0;

/** The server has one version only, so that the parts of two deployments never meet: another one is 404. */
export function loadPanels(base: string): Promise<PanelsScript> {
  // Some browsers remember a failed import by its address
  const url = `${scriptBase ?? base}/player/v1.js?panels=${PANELS_VERSION}${attempts ? `#${attempts}` : ""}`;
  return loading ??= import(url).then((script) => panelsScript = script, (error) => {
    loading = undefined;
    attempts++;
    throw error;
  });
}

let sheet: CSSStyleSheet | undefined;

/** Gives the shadow tree of an element the styles of the panels. */
export function adoptStyles(element: Element, css: string) {
  const root = element.getRootNode();
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  if (root instanceof ShadowRoot && !root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
}
