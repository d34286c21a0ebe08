// The commands of docs/releasing.md work as printed, on a copy of this repository as the last release.
import { deepStrictEqual as same, match, strictEqual as equal } from "node:assert";
import { join } from "node:path";
import { startScratch } from "../../local/database/scratch.ts";
import { makeScratchFolder } from "../../local/host/scratch_folder.ts";
import { trialRelease } from "../release/trial_release.ts";
import { blocksOf, commandsOf, readDocument } from "./commands.ts";

const text = readDocument("docs/releasing.md"), blocks = blocksOf(text, "sh");

const WHO = {
  GIT_AUTHOR_NAME: "Ana",
  GIT_AUTHOR_EMAIL: "ana@castbase.test",
  GIT_COMMITTER_NAME: "Ana",
  GIT_COMMITTER_EMAIL: "ana@castbase.test",
};

/** Runs a script in bash, which ends at the first error. Returns its output. */
async function bash(script: string, cwd: string, env: Record<string, string> = {}): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-e", "-o", "pipefail", "-c", script],
    cwd,
    env: { ...env, NO_COLOR: "1", DO_NOT_TRACK: "1" },
    stdin: "null",
  }).output();
  const output = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  equal(success, true, `${script}\n${output}`);
  return output;
}

Deno.test("docs/releasing.md: the commands set and check the version, tag it, write and push migrations, and go back", async () => {
  const [check, tag, deploy, ...rest] = blocks;
  same(rest, []);
  await using trial = await trialRelease();
  const { folder } = trial.project, origin = await makeScratchFolder("castbase-origin-");
  const env = { ...WHO, VERSION: "0.1.1", GIT_DIR: join(folder, ".git"), GIT_WORK_TREE: folder };
  try {
    match(await bash(check, folder, env), /\nThe last release is v0\.1\.0\.\n[^]*\nv0\.1\.0 and 0 newer migrations\n/);
    await bash("git init --quiet --bare .", origin);
    await bash(`git config push.default current && git remote add origin ${origin}`, folder, env);
    await bash(tag, folder, env);
    equal(await bash("git describe --tags", origin), "v0.1.1\n");
    equal(await bash("git show v0.1.1:package.json | grep '\"version\"'", origin), '  "version": "0.1.1",\n');
    same(JSON.parse(await Deno.readTextFile(join(folder, "functions/built/version.json"))), { version: "0.1.1" });

    const inline = (start: string) => commandsOf(text).findLast((command) => command.startsWith(start))!;
    const episodes = "30_episodes/tables/11_episodes.sql", column = "  license_url            text,\n";
    const migrate = (command: string, name: string) => bash(command.replace("<name>", name), folder, env);
    await trial.edit(episodes, column, `${column}  mood                   text,\n`);
    const [add, drop] = commandsOf(text).filter((command) => command.startsWith("npm run db:migration -- "));
    match(await migrate(add, "add_mood"), /^Wrote supabase\/migrations\/\d+_add_mood\.sql/m);
    await trial.edit(episodes, / +mood .*\n/, "");
    match(await migrate(drop, "drop_mood"), /^Wrote supabase\/migrations\/\d+_drop_mood\.sql/m);

    await bash("git stash --quiet", folder, env); // the types of the migrations
    await bash(inline("git checkout v<version>").replace("<version>", "0.1.0"), folder, env);
    equal(JSON.parse(await Deno.readTextFile(join(folder, "package.json"))).version, "0.1.0");
    await bash("git checkout v0.1.1", folder, env);

    const [dryRun, push, functions, ...more] = deploy.trim().split("\n");
    same(more, []);
    await using scratch = await startScratch();
    const target = { DATABASE_URL: `${await scratch.create("hosted")}?sslmode=disable`, SUPABASE_YES: "true" };
    match(await bash(dryRun, folder, target), /_baseline\.sql/);
    match(await bash(push, folder, target), /Applying migration \d+_baseline\.sql/);
    match(await bash(push, folder, target), /up to date/);
    match(functions, /^npm ci && npx supabase functions deploy /); // tests/scripts/deploy/documented_commands.test.ts
  } finally {
    await Deno.remove(origin, { recursive: true });
  }
});
