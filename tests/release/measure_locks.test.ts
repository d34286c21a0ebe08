// Which statements block a table of the large database; the rehearsal measures for how long at full size.
import { deepStrictEqual as same, rejects } from "node:assert";
import { join } from "node:path";
import { fillDatabase } from "./large_database.ts";
import { describeLock, measureLocks } from "./measure_locks.ts";
import { StartupError } from "../../local/host/startup_error.ts";
import { connected } from "../../local/postgres/client.ts";
import { createProjectDatabase } from "../project_cluster.ts";
import { folderOfFile } from "../temporary_folder.ts";

Deno.test("measureLocks names statement, table and mode of each lock that writers wait for", async () => {
  const folder = await folderOfFile("castbase-locks-");
  await using database = await createProjectDatabase();
  await fillDatabase(database.url.replace("//postgres:", "//supabase_admin:"), { episodes: 2000, notifications: 3000 });
  const counts = await connected(
    database.url,
    (sql) =>
      sql`select (select count(*) from public.episodes) as episodes, count(*) as notifications from public.notifications`,
  );
  same({ ...counts[0] }, { episodes: "2000", notifications: "3000" });
  const run = async (...statements: string[]) => {
    const file = join(folder, "migration.sql");
    await Deno.writeTextFile(file, statements.join(";\n"));
    return (await measureLocks(database.url, [file])).map(({ statement, table, mode }) => [statement, table, mode]);
  };
  const column = "alter table public.episodes add column mood text not null default ''";
  const check = "alter table public.episodes add constraint mood_is_short check (char_length(mood) < 9) not valid";
  const index = "create index notifications_link_idx on public.notifications (link)";
  same(await run("create table public.feelings (id int primary key)", column, check), [
    [column, "public.episodes", "AccessExclusiveLock"],
  ]);
  same(await run("alter table public.episodes validate constraint mood_is_short"), []);
  same(await run(index.replace("index", "index concurrently")), []);
  same(await run("drop index public.notifications_link_idx", "select 1"), [
    ["drop index public.notifications_link_idx", "public.notifications", "AccessExclusiveLock"],
  ]);
  same(await run("select 1", index), [[index, "public.notifications", "ShareLock"]]);
  await rejects(
    run(column.replace("mood", "other"), "drop table public.moods"),
    new StartupError('migration.sql: "drop table public.moods" fails: table "moods" does not exist (42P01)'),
  );
});

Deno.test("describeLock names the file, the statement, the table and the time", () => {
  same(
    describeLock({ file: "1_a.sql", statement: "lock t", table: "public.t", mode: "ExclusiveLock", ms: 1500 }),
    '1_a.sql: "lock t" holds ExclusiveLock on public.t for 1500 ms; at most 1000 ms are allowed',
  );
});
