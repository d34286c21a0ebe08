// Settings that are written at the same time: each is resolved with the values of all.
import { strictEqual as equal } from "node:assert";
import { createRaceDatabase } from "./race_database.ts";

Deno.test({ name: "settings at the same time", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using database = await createRaceDatabase(4);
  const { sql } = database;

  await t.step("a setting keeps its own value when one that its default value refers to changes", async () => {
    let other: Promise<unknown> | undefined;
    await sql.begin(async (writing) => {
      await writing`select private.set_setting('media_url', 'https://cdn.test')`;
      other = sql`select private.set_setting('public_url', 'https://new.test')`.execute();
      const waiting = () =>
        sql`select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`;
      while ((await waiting()).length === 0);
    });
    await other;
    const [settings] = await sql`
      select private.get_setting('media_url') as media, private.get_setting('public_url') as public`;
    equal(settings.media, "https://cdn.test");
    equal(settings.public, "https://new.test");
  });
});
