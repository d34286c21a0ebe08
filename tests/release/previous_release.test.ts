// The sample of the rehearsal in npm test: this repository as the previous release, with migrations that came after it.
import { match, ok, strictEqual as equal } from "node:assert";
import { join } from "node:path";
import { exportCommit, prepareRelease, runItsTests, testsOf } from "./previous_release.ts";
import { repository } from "../../local/host/project.ts";
import { makeScratchFolder } from "../../local/host/scratch_folder.ts";
import { isBelow } from "../tiers.ts";
import { trialRelease } from "./trial_release.ts";

const RPC = "tests/sql/50_people/add_episode_person.test.sql", ROUTES = "tests/http/api/people.test.ts";

Deno.test("functions and rules of a release work with a schema that grew, and fail without a function that they call", async () => {
  const folder = await makeScratchFolder("castbase-release-");
  try {
    await using trial = await trialRelease();
    await exportCommit("v0.1.0", folder, trial.project.folder);
    await trial.write(
      "20991231000000_grow.sql",
      "alter table public.episodes add column mood text;\n" +
        "create function public.count_people() returns bigint language sql stable set search_path = '' return 1;\n",
    );
    await trial.write("20991231000001_shrink.sql", "drop function public.add_episode_person;\n");
    const [grow, shrink] = ["20991231000000_grow.sql", "20991231000001_shrink.sql"]
      .map((name) => join(trial.project.migrations, name));
    await prepareRelease(folder, [grow]);
    const grown = await runItsTests(folder, [ROUTES]);
    ok(grown.passes, grown.output);

    await Deno.copyFile(shrink, join(folder, "supabase/migrations", shrink.split("/").at(-1)!));
    const { passes, output } = await runItsTests(folder, [RPC]);
    equal(passes, false);
    match(output, /add_episode_person\.test\.sql[^]*function public\.add_episode_person\(.*\) does not exist/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the tests of the previous release are its routes, tables and rules, without lists of the whole catalog", async () => {
  const tests = testsOf(repository);
  for (const path of [RPC, ROUTES]) ok(isBelow(path, tests), path);
  for (const path of ["_shape", "000_setup", "90_feeds/public_changes.test.sql"].map((path) => `tests/sql/${path}`)) {
    ok(!isBelow(path, tests), path);
    ok(await Deno.stat(join(repository, path)), path);
  }
});
