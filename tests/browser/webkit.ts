// WebKitGTK's MiniBrowser over WebDriver (https://w3c.github.io/webdriver), on a screen in memory.
import { Buffer } from "node:buffer";
import { waitFor } from "../wait_for.ts";
import { type Engine, freePort, type Open } from "./engine.ts";

export const openWebkit: Open = async ({ width, height, isDark = false }) => {
  const home = await Deno.makeTempDir({ prefix: "castbase-webkit-" }), port = freePort();
  const screen = new Deno.Command("/usr/bin/Xvfb", {
    args: ["-displayfd", "1", "-screen", "0", "1400x1200x24", "-nolisten", "tcp"],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = screen.stdout.getReader();
  const display = `:${new TextDecoder().decode((await reader.read()).value).trim()}`;
  reader.releaseLock();
  const driver = new Deno.Command("/usr/bin/WebKitWebDriver", {
    args: [`--port=${port}`, "--host=127.0.0.1"],
    env: {
      DISPLAY: display,
      HOME: home,
      XDG_RUNTIME_DIR: home,
      GTK_THEME: isDark ? "Adwaita:dark" : "Adwaita",
      LIBGL_ALWAYS_SOFTWARE: "1",
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1", // it needs user namespaces, which containers lack
    },
    stdout: "piped", // the browser's too, with its console
    stderr: "null",
  }).spawn();
  const problems: string[] = [];
  const reading = driver.stdout.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write(text) {
        problems.push(...text.split("\n").filter((line) => /^CONSOLE .*(ERROR|SECURITY)/.test(line)));
      },
    }),
  );

  const call = async (method: string, path: string, body?: object) => {
    const init = { method, body: body && JSON.stringify(body) };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init), { value } = await response.json();
    if (!response.ok) throw new Error(`${path}: ${value.error}: ${value.message}`);
    return value;
  };
  await waitFor("WebKitWebDriver listens", () => call("GET", "/status").catch(() => undefined));
  const binary = await findMiniBrowser();
  const { sessionId, capabilities: { browserName, browserVersion } } = await call("POST", "/session", {
    capabilities: {
      alwaysMatch: {
        "webkitgtk:browserOptions": {
          binary,
          args: ["--automation", "--enable-write-console-messages-to-stdout=true"],
        },
      },
    },
  });
  const session = `/session/${sessionId}`;
  const run = (script: string) => call("POST", `${session}/execute/async`, { script, args: [] });
  await call("POST", `${session}/window/rect`, { width, height });
  return {
    name: `WebKitGTK ${browserName} ${browserVersion}`,
    problems,
    async goto(url) {
      await call("POST", `${session}/url`, { url });
    },
    async evaluate<T>(expression: string) {
      const done = "arguments[arguments.length - 1]";
      const value = await run(
        `const done = ${done}; Promise.resolve(${expression}).then(
          (value) => done(JSON.stringify({ value })), (error) => done(JSON.stringify({ error: String(error) })))`,
      );
      const result = JSON.parse(value);
      if (result.error) throw new Error(result.error);
      return result.value as T;
    },
    async screenshot() {
      return Buffer.from(await call("GET", `${session}/screenshot`), "base64");
    },
    async [Symbol.asyncDispose]() {
      await call("DELETE", session).catch(() => {});
      for (const process of [driver, screen]) {
        process.kill();
        await process.status;
      }
      await reading;
      await screen.stdout.cancel();
      await Deno.remove(home, { recursive: true });
    },
  } satisfies Engine;
};

/** Debian keeps it in the folder of the library, which depends on the architecture. */
async function findMiniBrowser(): Promise<string> {
  for await (const { name } of Deno.readDir("/usr/lib")) {
    const path = `/usr/lib/${name}/webkit2gtk-4.1/MiniBrowser`;
    if (await Deno.stat(path).then(() => true, () => false)) return path;
  }
  throw new Error("webkit2gtk-driver has no MiniBrowser of webkit2gtk-4.1 here");
}
