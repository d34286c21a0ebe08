// A browser for the page tests: CHROMIUM_PATH, else the Chromium of npm for Linux on x64, else a
// system one. Without any, the browser tests are skipped with a warning.
import { join } from "node:path";
import { arch, platform } from "node:process";
import type { Browser, Page } from "playwright-core";
import { buildOnce } from "../../local/postgres/build_once.ts";
import { run } from "../../local/postgres/run.ts";
import { repository } from "../../local/host/project.ts";

interface Chromium {
  executablePath: string;
  env?: Record<string, string>;
}

const installedPaths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

async function findChromium(): Promise<Chromium | undefined> {
  const named = Deno.env.get("CHROMIUM_PATH");
  if (named) return { executablePath: named };
  const unpacked = platform === "linux" && arch === "x64" && await unpackedChromium();
  if (unpacked) return unpacked;
  for (const executablePath of installedPaths) if (await isFile(executablePath)) return { executablePath };
}

/**
 * npm's Chromium, unpacked once per version with the libraries and fonts that a bare system lacks. The package unpacks
 * into the temporary folder of a process; with AWS_EXECUTION_ENV it unpacks the libraries too.
 */
async function unpackedChromium(): Promise<Chromium | undefined> {
  const shipped = join(repository, "node_modules/@sparticuz/chromium");
  if (!await isFile(join(shipped, "package.json"))) return;
  const { version } = JSON.parse(await Deno.readTextFile(join(shipped, "package.json")));
  const folder = await buildOnce(join(repository, ".cache"), `chromium-${version}`, async (folder) => {
    const unpack = `import chromium from "@sparticuz/chromium"; await chromium.executablePath();`;
    const env = { TMPDIR: folder, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x" };
    await run("node", ["--input-type=module", "--eval", unpack], { cwd: repository, env });
    await Deno.stat(join(folder, "chromium")); // a folder without it would be kept
    await Deno.writeTextFile(join(folder, "fonts.conf"), FONTS);
  });
  const env = { LD_LIBRARY_PATH: join(folder, "al2023/lib"), FONTCONFIG_FILE: join(folder, "fonts.conf") };
  return { executablePath: join(folder, "chromium"), env };
}

const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

const isFile = (path: string) => Deno.stat(path).then(() => true, () => false);

const found = await findChromium();
export const executable = found?.executablePath;
if (!found) {
  console.warn(
    "No Chromium here: the browser tests are skipped (Debian: apt-get install chromium, or set CHROMIUM_PATH).",
  );
}

/** Starts it headless, without requests of its own. */
async function openBrowser(): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  return await chromium.launch({
    executablePath: found!.executablePath,
    env: { ...Deno.env.toObject(), ...found!.env },
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

/** The browser that the tests of a file share, each with a context of its own. The last one closes it. */
let browser: Promise<Browser> | undefined, unfinished = 0;

/** A test with a page. `inBrowser` of guest_page.ts also watches for its problems. */
export function withPage(
  name: string,
  test: (page: Page) => Promise<void>,
  options: Parameters<Browser["newPage"]>[0] = {},
) {
  unfinished++;
  Deno.test({
    name,
    ignore: !executable,
    sanitizeOps: false, // the browser outlives the test
    sanitizeResources: false,
    async fn() {
      const page = await (await (browser ??= openBrowser())).newPage(options);
      try {
        await test(page);
      } finally {
        await page.close(); // with its context
        if (--unfinished === 0) await (await browser).close();
      }
    },
  });
}
