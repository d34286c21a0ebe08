// The arguments of npm run deploy, its environment files, and the list of secrets.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../../local/host/project.ts";
import { parseEnvFile } from "../../../scripts/deploy/env_file.ts";
import { Failure } from "../../../scripts/deploy/failure.ts";
import { checkNames, FEATURES, SECRET_NAMES } from "../../../scripts/deploy/secrets.ts";
import { readTarget } from "../../../scripts/deploy/target.ts";
import { sourceFiles } from "../../source_files.ts";
import { workflowText } from "./workflow.ts";

const REF = "abcdefghijklmnopqrst";

Deno.test("npm run deploy takes production and a question as its defaults", async () => {
  const { ref, environment, isConfirmed, isDryRun, sendsCaptcha } = await readTarget(["--ref", REF]);
  assert.deepEqual([ref, environment], [REF, "production"]);
  assert.deepEqual([isConfirmed, isDryRun, sendsCaptcha], [false, false, false]);
  const other = await readTarget(["--ref", REF, "--environment=staging", "--yes", "--dry-run", "--captcha"]);
  assert.equal(other.configFile, join(repository, "supabase/staging.toml"));
  assert.deepEqual([other.isConfirmed, other.isDryRun, other.sendsCaptcha], [true, true, true]);
});

Deno.test("npm run deploy names wrong arguments, and how it is called", async () => {
  const rejects = (message: RegExp, ...args: string[]) =>
    assert.rejects(readTarget(args), (error) => {
      assert.ok(error instanceof Failure);
      assert.match(error.message, message);
      assert.match(error.message, /^Usage: npm run deploy -- --ref <project ref>/m);
      return true;
    });
  await rejects(/^--ref must be the project's reference: 20 lowercase letters\.$/m);
  await rejects(/^--ref must be/, "--ref", "castbase");
  await rejects(/^--environment must be production or staging\.$/m, "--ref", REF, "--environment", "test");
  await rejects(/^Unknown option '--force'/, "--ref", REF, "--force");
});

/** The arguments in documents, of which deploy.test.ts runs each; that of a question ends without a terminal. */
const TESTED = ["", " --dry-run", " --yes", " --environment staging --yes", " --environment production --yes"]
  .map((args) => `--ref <project ref>${args}`);

const untested = (text: string) =>
  [...text.matchAll(/npm run deploy -- ([^\n`#]*)/g)].map(([, args]) => args.trim()).filter((args) =>
    !TESTED.includes(args)
  );

Deno.test("documents call npm run deploy only in ways that a test runs", () => {
  assert.deepEqual(untested("npm run deploy -- --ref <project ref> --dry-run   # first\nnpm run deploy -- --force"), [
    "--force",
  ]);
  const documents = sourceFiles(["docs", "local"], /\.md$/).map(({ text }) => text);
  const workflow = workflowText.replaceAll('"$PROJECT_REF"', "<project ref>");
  assert.deepEqual([...documents, workflow].flatMap(untested), []);
});

Deno.test("parseEnvFile reads quotes, comments and export, and names a line that it cannot read", () => {
  const text = `# secrets\n\nA=1\nexport B = "two # words"\r\nC='three "words"'\nD=\nE=a=b#c # comment\n`;
  assert.deepEqual(parseEnvFile(text, "x.env"), { A: "1", B: "two # words", C: 'three "words"', D: "", E: "a=b#c" });
  for (const line of ["A=a b", "A", "1A=x", 'A="b']) {
    assert.throws(() => parseEnvFile(`X=1\n${line}\n`, "x.env"), /^Error: x\.env, line 2: write NAME=value/);
  }
});

Deno.test("checkNames wants all secrets of a feature or none, and one way to send emails", () => {
  const check = (...names: string[]) => checkNames((name) => names.includes(name));
  assert.deepEqual(check(...SECRET_NAMES), { problems: [], warnings: [] });
  const { problems, warnings } = check();
  assert.deepEqual([problems, warnings.length], [[], Object.keys(FEATURES).length + 2]);
  assert.ok(warnings.includes("No emails: neither RESEND_API_KEY nor SMTP_URL is set."));
  assert.deepEqual(check("RESEND_API_KEY", "VAPID_SUBJECT").problems, [
    "VAPID_PRIVATE_KEY is missing, which push messages need too.",
    "MAIL_FROM is missing, which RESEND_API_KEY needs.",
  ]);
});
