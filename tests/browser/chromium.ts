// A real browser for the pages. Debian's chromium, or the one that CHROMIUM names; without one these tests are skipped.
import type { Browser } from "playwright-core";

const candidates = [
  Deno.env.get("CHROMIUM"),
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

async function found(): Promise<string | undefined> {
  for (const path of candidates) {
    if (path && await Deno.stat(path).then(() => true, () => false)) return path;
  }
}

export const executable = await found();
if (!executable) {
  console.warn("No Chromium here: the browser tests are skipped (Debian: apt-get install chromium, or set CHROMIUM).");
}

/** Starts it headless; it fetches nothing but what the page asks for. */
export async function openBrowser(): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  return await chromium.launch({
    executablePath: executable,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--autoplay-policy=no-user-gesture-required",
    ],
  });
}
