// A trial release with two migrations: a good one, which db:migration writes, and one that breaks both rules.
import { deepStrictEqual as same, match, ok } from "node:assert";
import { checkRelease } from "./check_release.ts";
import type { ProjectPaths } from "../../local/host/project.ts";
import { trialRelease } from "./trial_release.ts";

const TESTS = ["tests/sql/30_episodes", "tests/sql/50_people", "tests/http/api/people.test.ts"];

async function check(project: ProjectPaths) {
  const lines: string[] = [];
  return { findings: await checkRelease({ project, tests: TESTS, report: (line) => lines.push(line) }), lines };
}

Deno.test("release:check passes expanding migrations, and rejects a dropped function and a rewritten table", async () => {
  await using trial = await trialRelease();
  const episodes = "30_episodes/tables/11_episodes.sql";
  await trial.edit(
    episodes,
    "  license_url            text,\n",
    "  license_url            text,\n  mood                   text not null default '',\n" +
      "  constraint mood_is_short check (char_length(mood) < 100),\n",
  );
  await trial.edit(
    "70_notifications/tables/11_notifications.sql",
    /$/,
    "create index notifications_link_idx on public.notifications (link);\n",
  );
  await trial.edit(
    "50_people/operations/add_episode_person.sql",
    /$/,
    "create function public.count_episode_people(episode_id uuid) returns bigint\n" +
      "language sql stable security invoker set search_path = ''\n" +
      "return (select count(*) from public.episode_people p where p.episode_id = count_episode_people.episode_id);\n" +
      "grant execute on function public.count_episode_people to authenticated;\n",
  );
  const files = await trial.migrate({ name: "moods" });
  same(files.length, 3);
  match(files[0], /add column "?mood"? [^]*count_episode_people[^]*add constraint "?mood_is_short"? .* not valid;/);
  match(files[1], /validate constraint "?mood_is_short"?;\n$/);
  match(files[2], /create index concurrently notifications_link_idx/);
  const good = await check(trial.project);
  same(good.findings, []);
  match(
    good.lines.join("\n"),
    /^v0\.1\.0 and 3 newer migrations\n[^]*_moods_1\.sql: AccessExclusiveLock on public\.episodes/,
  );
  match(good.lines.at(-1)!, /^\d{3} passed, 0 failed$/);

  await trial.write(
    "20991231000000_bad.sql",
    "drop function public.add_episode_person;\n" +
      "alter table public.episodes add column token uuid not null default gen_random_uuid();\n",
  );
  const { findings: [slow, broken, ...rest] } = await check(trial.project);
  match(
    slow,
    /_bad\.sql: "alter table public\.episodes add column token .*" holds AccessExclusiveLock on public\.episodes for \d+ ms; at most 1000 ms/,
  );
  match(broken, /^v0\.1\.0 fails with the new migrations; keep what it uses for one release:/);
  match(broken, /function public\.add_episode_person\(.*\) does not exist/);
  ok(broken.includes("tests/http/api/people.test.ts") && broken.includes("add_episode_person.test.sql"), broken);
  same(rest, []);
});
