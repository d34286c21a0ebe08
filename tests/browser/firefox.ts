// Firefox over WebDriver BiDi, which it speaks itself: https://w3c.github.io/webdriver-bidi
import { Buffer } from "node:buffer";
import { waitFor } from "../wait_for.ts";
import { type Engine, freePort, type Open } from "./engine.ts";

/** Without requests of its own, and with a theme. */
const preferences = (isDark: boolean) => ({
  "app.normandy.enabled": false,
  "app.update.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false,
  "extensions.getAddons.cache.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,",
  "toolkit.telemetry.enabled": false,
  "layout.css.prefers-color-scheme.content-override": isDark ? 0 : 1,
});

interface Message {
  id?: number;
  method?: string;
  error?: string;
  message?: string;
  // deno-lint-ignore no-explicit-any
  result?: any;
  // deno-lint-ignore no-explicit-any
  params?: any;
}

export const openFirefox: Open = async ({ width, height, isDark = false }) => {
  const profile = await Deno.makeTempDir({ prefix: "castbase-firefox-" }), port = freePort();
  const lines = Object.entries(preferences(isDark)).map((entry) =>
    `user_pref(${JSON.stringify(entry).slice(1, -1)});\n`
  );
  await Deno.writeTextFile(`${profile}/user.js`, lines.join(""));
  const process = new Deno.Command("/usr/bin/firefox-esr", {
    args: ["--headless", "--no-remote", "--profile", profile, `--remote-debugging-port=${port}`, "about:blank"],
    env: { HOME: profile, MOZ_CRASHREPORTER_DISABLE: "1" },
    stdout: "null",
    stderr: "null",
  }).spawn();
  const socket = await waitFor("Firefox listens", () => connect(`ws://127.0.0.1:${port}/session`));

  const problems: string[] = [], answers = new Map<number, (message: Message) => void>();
  let last = 0;
  socket.onmessage = ({ data }) => {
    const message: Message = JSON.parse(data);
    if (message.id !== undefined) answers.get(message.id)?.(message);
    else if (message.method === "log.entryAdded" && message.params.level === "error") {
      problems.push(message.params.text);
    }
  };
  const send = async (method: string, params: object) => {
    const id = ++last, { promise, resolve } = Promise.withResolvers<Message>();
    answers.set(id, resolve);
    socket.send(JSON.stringify({ id, method, params }));
    const { error, message, result } = await promise;
    if (error) throw new Error(`${method}: ${error}: ${message}`);
    return result;
  };

  const { capabilities: { browserName, browserVersion } } = await send("session.new", { capabilities: {} });
  await send("session.subscribe", { events: ["log.entryAdded"] });
  const { contexts: [{ context }] } = await send("browsingContext.getTree", {});
  await send("browsingContext.setViewport", { context, viewport: { width, height } });
  return {
    name: `${browserName} ${browserVersion}`,
    problems,
    async goto(url) {
      await send("browsingContext.navigate", { context, url, wait: "complete" });
    },
    async evaluate<T>(expression: string) {
      const { type, result, exceptionDetails } = await send("script.evaluate", {
        expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value ?? null))`,
        target: { context },
        awaitPromise: true,
      });
      if (type === "exception") throw new Error(exceptionDetails.text);
      return JSON.parse(result.value) as T;
    },
    async screenshot() {
      return Buffer.from((await send("browsingContext.captureScreenshot", { context })).data, "base64");
    },
    async [Symbol.asyncDispose]() {
      await send("browser.close", {}).catch(() => {});
      await process.status;
      await Deno.remove(profile, { recursive: true });
    },
  } satisfies Engine;
};

const connect = (url: string) =>
  new Promise<WebSocket | undefined>((resolve) => {
    const socket = new WebSocket(url);
    socket.onopen = () => resolve(socket);
    socket.onerror = () => resolve(undefined);
  });
