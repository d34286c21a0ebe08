// The commands of docs/operating.md that use the local stack, or whose effect it shows, as printed, and how
// docs/how_to_change.md tries Stripe, whose program needs an account: an event is sent as the program does.
import assert from "node:assert/strict";
import { join } from "node:path";
import { readProject } from "../../local/host/project.ts";
import { sign } from "../billing/stripe_wire.ts";
import { startCaptchaProvider } from "../captcha_provider.ts";
import { startTestStack } from "../stack.ts";
import { waitFor } from "../wait_for.ts";
import { checkout, hasCurl } from "./checkout.ts";
import { blocksOf, commandsOf, readDocument } from "./commands.ts";

const operating = readDocument("docs/operating.md"), development = readDocument("docs/how_to_change.md");
const STRIPE_WEBHOOK_SECRET = "whsec_of_the_cli";

/** The command of a document that starts so. */
function command(start: string, document = operating): string {
  const [found, ...more] = commandsOf(document).filter((one) => one.startsWith(start));
  assert.deepEqual([typeof found, more], ["string", []], start);
  return found;
}

async function bash(script: string): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("bash", { args: ["-ec", script], stdin: "null" }).output();
  const text = new TextDecoder();
  assert.equal(code, 0, `${script}\n${text.decode(stderr)}`);
  return text.decode(stdout);
}

Deno.test({ name: "commands on the local stack", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using provider = startCaptchaProvider();
  await using here = await checkout();
  const { folder } = here, functionsEnvFile = join(folder, "functions.env");
  await Deno.writeTextFile(functionsEnvFile, `STRIPE_WEBHOOK_SECRET=${STRIPE_WEBHOOK_SECRET}\n`);
  const auth = { captcha: provider.captcha };
  await using at = await startTestStack({ dataDir: join(folder, ".data"), functionsEnvFile, auth });

  await t.step({
    name: "the check of captcha protection returns 400 captcha_failed",
    ignore: !hasCurl,
    async fn() {
      const line = command("curl ").replace("https://<ref>.supabase.co", at.url)
        .replace("<publishable key>", at.publishableKey);
      assert.ok(!line.includes("<"), line);
      const [body, status] = (await bash(`${line} --silent --write-out '\\n%{http_code}'`)).split("\n");
      assert.deepEqual([JSON.parse(body).error_code, status], ["captcha_failed", "400"]);
    },
  });

  await t.step("Stripe's events, forwarded to the URL of stripe listen, are those of the webhook", async () => {
    const [, url] = /^stripe listen --forward-to (\S+)$/.exec(command("stripe ", development))!;
    const { origin, pathname } = new URL(url);
    assert.equal(origin, `http://127.0.0.1:${(await readProject()).ports.api}`);
    assert.ok(operating.includes(`\`{base_url}${pathname.replace("/functions/v1", "")}\``)); // as in production
    assert.match(development, /`stripe listen [^]{1,200}`supabase\/functions\/\.env` as `STRIPE_WEBHOOK_SECRET`/);
    const body = JSON.stringify({
      object: "event",
      id: `evt_${crypto.randomUUID()}`,
      type: "customer.subscription.updated",
      created: Math.floor(Date.now() / 1000),
      data: { object: { object: "subscription", customer: "cus_unknown" } },
    });
    const send = async (secret: string) => {
      const headers = { "stripe-signature": sign(body, [secret]) };
      const response = await fetch(at.url + pathname, { method: "POST", headers, body });
      await response.body?.cancel();
      return response.status;
    };
    assert.deepEqual([await send(STRIPE_WEBHOOK_SECRET), await send("whsec_other")], [200, 400]);
  });

  await t.step("each URL that a provider is given is a route", async () => {
    const paths = [...operating.matchAll(/`\{base_url\}(\/[\w/]+)`/g)].map(([, path]) => path);
    assert.ok(paths.length >= 3);
    for (const path of [...paths, "/api/none"]) {
      const response = await fetch(at.functionsUrl + path, { redirect: "manual" });
      await response.body?.cancel();
      assert.equal(response.status === 404, path === "/api/none", path);
    }
  });

  const workers = blocksOf(operating, "sh").find((block) => block.includes("npm run worker"))!
    .split("\n").filter((line) => line.startsWith("npm run worker"));
  assert.equal(workers.length, 2);
  for (const line of workers) {
    const [words] = line.split("#");
    await t.step(`${words.trim()} runs beside the stack of npm start, and ends with npm`, async () => {
      const [program, ...args] = words.trim().split(" ");
      const worker = new Deno.Command(program, {
        args,
        cwd: folder,
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const errors = new Response(worker.stderr).text();
      const reader = worker.stdout.pipeThrough(new TextDecoderStream()).getReader();
      let output = "";
      const read = async () => {
        const { value, done } = await reader.read();
        output += value ?? "";
        return !done;
      };
      await waitFor("the worker has started", async () => output.includes('"worker started"') || !await read());
      if (!output.includes('"worker started"')) assert.fail(output + await errors);
      worker.kill("SIGTERM");
      while (await read()); // until the worker has ended, which npm does not wait for
      await worker.status;
    });
  }
});
