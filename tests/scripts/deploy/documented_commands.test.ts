// The commands with which docs/operating.md and docs/releasing.md change a hosted project by hand: the real CLI runs
// them as printed, on a hosted project of the loopback interface.
import assert from "node:assert/strict";
import { blocksOf, commandsOf, readDocument } from "../../docs/commands.ts";
import { createDeployment } from "./deployment.ts";
import { projectRef } from "./hosted_project.ts";

const operating = readDocument("docs/operating.md"), releasing = readDocument("docs/releasing.md");

/** The command of a document that starts so, for this project. */
function command(document: string, start: string): string {
  const [found, ...more] = commandsOf(document).filter((one) => one.startsWith(start));
  assert.deepEqual([typeof found, more], ["string", []], start);
  return found.replaceAll("<project ref>", projectRef);
}

Deno.test({ name: "the commands for a hosted project", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using to = await createDeployment();
  const { secrets, hosted } = to;
  // no terminal, on which the CLI would ask
  const env = { ...to.env, PROJECT_REF: projectRef, SUPABASE_YES: "true" };
  async function run(commands: string): Promise<string> {
    to.changes.length = 0;
    const { code, stdout, stderr } = await to.copy.shell(commands, env);
    assert.equal(code, 0, `${commands}\n${stdout}${stderr}`);
    return stdout;
  }

  await t.step("the functions are deployed without Docker", async () => {
    // as in .ci/run; the packages are there
    const last = command(releasing, "npm ci && npx supabase functions deploy").replace("npm ci && ", "");
    await run(last);
    assert.deepEqual(to.changes, [...Array(3).fill("POST /functions/deploy"), "PUT /functions"]);
    const response = await fetch(`${hosted.url}/functions/v1/api/health`);
    assert.equal((await response.json()).status, "ok");
  });

  await t.step("a secret is set, and deleted", async () => {
    const set = command(operating, "npx supabase secrets set --remote=<project ref> NAME=value");
    await run(set.replace("NAME=value", "TRUSTED_PROXY_HOPS=2 MAIL_FROM='Castbase <noreply@acme-shows.com>'"));
    assert.deepEqual([secrets.TRUSTED_PROXY_HOPS, secrets.MAIL_FROM], ["2", "Castbase <noreply@acme-shows.com>"]);
    await run(set);
    assert.equal(secrets.NAME, "value");
    await run(command(operating, "npx supabase secrets unset"));
    assert.deepEqual([Object.keys(secrets), to.changes], [["TRUSTED_PROXY_HOPS", "MAIL_FROM"], ["DELETE /secrets"]]);
  });

  await t.step("the captcha settings are sent", async () => {
    await run(command(operating, "CAPTCHA_SECRET=…").replace("=…", "=secret"));
    const { security_captcha_enabled, security_captcha_secret } = hosted.auth;
    assert.deepEqual([security_captcha_enabled, security_captcha_secret], [true, "secret"]);
  });

  await t.step("the key pair of push messages is made, and set", async () => {
    const [block] = blocksOf(operating, "sh").filter((text) => text.includes("push.env"));
    await run(block.replaceAll("<project ref>", projectRef));
    assert.match(secrets.VAPID_PRIVATE_KEY, /^[\w-]{43}$/);
    assert.equal(secrets.VAPID_SUBJECT, "mailto:you@example.com");
  });
});
