// db:reset on a stack with a project of the test: one table, one seeded row.
import { deepStrictEqual as same } from "node:assert";
import { join } from "node:path";
import { makeScratchFolder } from "../../../local/host/scratch_folder.ts";
import { connected } from "../../../local/postgres/client.ts";
import { resetStack, startResettableStack } from "../../../local/stack/reset.ts";
import { startStack } from "../../../local/stack/stack.ts";
import { within } from "../../wait_for.ts";
import { shareCache } from "../host/project_folder.ts";

async function project() {
  const folder = await makeScratchFolder("castbase-reset-");
  await shareCache(folder);
  await Deno.mkdir(join(folder, "supabase/migrations"), { recursive: true });
  await Deno.writeTextFile(join(folder, "supabase/config.toml"), 'project_id = "reset"\n');
  await Deno.writeTextFile(
    join(folder, "supabase/migrations/20260101000000_notes.sql"),
    "create table public.notes (words text);",
  );
  await Deno.writeTextFile(join(folder, "supabase/seed.sql"), "insert into public.notes values ('seeded');");
  return {
    options: { dataDir: join(folder, "data"), project: folder },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

const write = (url: string) => connected(url, (sql) => sql`insert into public.notes values ('written')`);
const read = (url: string) =>
  connected(url, async (sql) => (await sql`select words from public.notes`).map((row) => row.words));

Deno.test("db:reset restores the seed of a running stack, empties the inbox, and leaves it running", async () => {
  await using small = await project();
  const restarted = Promise.withResolvers<string>(); // resolved in this process, possibly after the folder shows it
  const stack = await startResettableStack(small.options, ({ dbUrl }) => restarted.resolve(dbUrl));
  try {
    await write(stack.dbUrl);
    const mail = join(small.options.dataDir, `mails/${"1".padStart(15, "0")}-${"0".repeat(22)}.mail`);
    await Deno.writeTextFile(mail, '{"recipients": []}\n');
    const running = await resetStack(small.options);
    const restartedUrl = await within("the restart", restarted.promise, 60);
    same(running?.dbUrl, restartedUrl);
    same(await read(restartedUrl), ["seeded"]);
    same([...Deno.readDirSync(join(small.options.dataDir, "mails"))], []);
  } finally {
    await stack.stop();
  }
});

Deno.test("db:reset restores the seed of a stopped stack, and leaves it stopped", async () => {
  await using small = await project();
  const before = await startStack(small.options);
  await write(before.dbUrl);
  same(await read(before.dbUrl), ["seeded", "written"]);
  await before.stop();
  same(await resetStack(small.options), undefined);
  const after = await startStack(small.options);
  try {
    same(await read(after.dbUrl), ["seeded"]);
  } finally {
    await after.stop();
  }
});
