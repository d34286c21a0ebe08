// Firefox and WebKitGTK of Debian, driven over their own protocols, for tests of pages beyond Chromium:
// apt-get install firefox-esr webkit2gtk-driver xvfb. Their playback is not tested: it needs codecs of the system.
import type { Open } from "./engine.ts";
import { openFirefox } from "./firefox.ts";
import { openWebkit } from "./webkit.ts";

const isInstalled = (path: string) => Deno.stat(path).then(() => true, () => false);

/** The browsers that are installed here. */
export const engines: [name: string, open: Open][] = [];
if (await isInstalled("/usr/bin/firefox-esr")) engines.push(["Firefox", openFirefox]);
if (await isInstalled("/usr/bin/WebKitWebDriver") && await isInstalled("/usr/bin/Xvfb")) {
  engines.push(["WebKitGTK", openWebkit]);
}
if (engines.length < 2) {
  console.warn(
    `Page tests run in ${engines.map(([name]) => name).join() || "no other browser"} besides Chromium ` +
      "(Debian: apt-get install firefox-esr webkit2gtk-driver xvfb).",
  );
}
