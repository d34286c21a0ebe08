import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("concurrent writes of booking links", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as } = there;
  await sql`select tests.podcast('show', 'ola')`;
  const podcastId = await there.id("show");

  await t.step("sixty links of one name get fifty slugs, and the others are too many", async () => {
    const create = () => as("ola", "create_booking_link", { podcastId, name: "Same", timezone: "UTC" });
    deepEqual(await runConcurrently(60, create), { ok: 50, PT409: 10 });
    const [{ n }] = await sql`select count(distinct slug)::int as n from public.booking_links`;
    equal(n, 50);
  });

  await t.step("a deletion waits for a booking that is being made, and fails", async () => {
    const [{ id }] = await sql`select id from public.booking_links limit 1`;
    let deleting: Promise<string> | undefined;
    await sql.begin(async (sql) => {
      await sql`
        insert into public.bookings (booking_link_id, podcast_id, name, start_time, end_time, status, guest_name,
          guest_email)
        values (${id}, ${podcastId}, 'Same', now() + interval '1 day', now() + interval '2 days', 'confirmed', 'Gus',
          'gus@test.example')`;
      deleting = outcome(there.sql`delete from public.booking_links where id = ${id}`);
      await assertBlocks(there, deleting);
    });
    equal(await deleting, "PT409");
  });
});
