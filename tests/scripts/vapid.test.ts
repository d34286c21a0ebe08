// npm run vapid prints an environment with which the functions send push messages.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createECDH } from "node:crypto";
import { join } from "node:path";
import { problemWith } from "../../functions/runtime/variables.ts";
import { repository } from "../../local/host/project.ts";

Deno.test("npm run vapid prints a new key pair and what to do with it", async () => {
  const run = async () => {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--allow-all", "--no-check", join(repository, "scripts/vapid.ts")],
      stderr: "inherit",
    }).output();
    return new TextDecoder().decode(stdout).trim().split("\n");
  };
  const lines = await run(), [privateKey, subject] = lines.slice(-2);
  assert.equal(subject, "VAPID_SUBJECT=mailto:you@example.com");
  assert.match(problemWith("VAPID_SUBJECT", subject.split("=")[1])!, /^must be in a domain of yours/);
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(Buffer.from(/^VAPID_PRIVATE_KEY=([\w-]{43})$/.exec(privateKey)![1], "base64url"));
  const comments = lines.slice(0, -2);
  assert.ok(comments.every((line) => line.startsWith("# ")));
  assert.equal(comments.at(-1), `# ${curve.getPublicKey().toString("base64url")}`);
  assert.notDeepEqual(await run(), lines);
});
