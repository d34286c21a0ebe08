import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { join } from "node:path";
import { folderOfFile } from "./temporary_folder.ts";
import { effectOf, savedPaths } from "./watched_files.ts";

Deno.test("a saved file changes the database, the stack, bundles, the functions or nothing, by its folder", () => {
  const people = ["tests/http/api/people.test.ts"], rules = ["tests/sql/50_people/add_episode_person.test.sql"];
  const effects: [string, string[], ReturnType<typeof effectOf>][] = [
    ["sql/50_people/rows.sql", people, "database"],
    ["sql/50_people/rows.sql", rules, "database"],
    ["tests/sql/000_setup/10_factories.sql", rules, "database"],
    [rules[0], rules, "tests"],
    ["tests/sql/50_people/other.test.sql", rules, undefined],
    ["functions/api/people.ts", rules, undefined],
    ["functions/api/people.ts", people, "functions"],
    ["types/people.ts", people, "functions"],
    ["functions/browser/pages.css", people, "browser"],
    ["functions/built/pages.json", people, undefined],
    ["local/rest/rest.ts", people, "stack"],
    ["supabase/config.toml", people, "stack"],
    ["supabase/migrations/1_baseline.sql", people, "database"],
    ["docs/limits.md", people, "tests"],
    ["tests/http/harness.ts", people, "tests"],
    [people[0], people, "tests"],
    ["tests/http/api/account.test.ts", people, undefined],
    ["tests/sql/000_setup/10_factories.sql", people, undefined],
  ];
  for (const [path, files, effect] of effects) equal(effectOf(path, files), effect, `${path} for ${files}`);
});

Deno.test("the files of one save are one batch, without the temporary files of editors", async () => {
  const folder = await Deno.realPath(await folderOfFile("castbase-watch-"));
  const watcher = Deno.watchFs(folder);
  const batches = savedPaths(watcher, folder);
  const next = batches.next();
  for (const name of ["one.sql", "two.ts", ".one.sql.swp", "two.ts~"]) {
    await Deno.writeTextFile(join(folder, name), "");
  }
  deepEqual((await next).value?.paths.toSorted(), ["one.sql", "two.ts"]);
  watcher.close();
  equal((await batches.next()).done, true);
});
