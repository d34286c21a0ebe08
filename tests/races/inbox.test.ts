// Concurrent calls on one user's inbox: what waits, what does not, and that nothing deadlocks.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { within } from "../wait_for.ts";
import { assertBlocks, createRaceDatabase, runConcurrently } from "./race_database.ts";

Deno.test("concurrent calls on an inbox", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as, id } = there;
  await sql`select tests.person('ola'), tests.person('ben')`;
  const ola = await id("ola");
  const insert = (n: number) =>
    sql`
    insert into public.notifications (user_id, type, category, priority, title, group_key)
    select ${ola}, 'chat.message', 'team', 'low', 'N', 'g' || n % 5 from generate_series(1, ${n}) n`;
  const counts = async () => {
    const claims = JSON.stringify({ role: "authenticated", sub: ola });
    const [{ data }] = await sql`select data from private.call_get_notification_counts(${claims}::text::json)`;
    return [data.inbox, data.unread, data.archived];
  };

  await t.step("new notifications do not wait for a read-all, and are counted as unread", async () => {
    await insert(1000);
    await using session = Object.assign(await sql.reserve(), {
      [Symbol.asyncDispose]: () => Promise.resolve(session.release()),
    });
    await session`begin`;
    await session`select set_config('request.jwt.claims', ${JSON.stringify({ sub: ola })}, true)`;
    const [{ result }] = await session`select private.mark_all_notifications_read(null) as result`;
    deepEqual(result, { markedCount: 1000, hasMore: false });
    await within("an insert beside the open transaction", insert(1));
    equal(
      await within("reading one beside it", as("ola", "mark_notification_read", { notificationId: await newest() })),
      "ok",
    );
    await within("folding beside it", sql`select private.fold_notification_counts()`);
    const second = as("ola", "mark_all_notifications_read", {});
    await assertBlocks(there, second);
    deepEqual(await counts(), [1001, 1000, 0]);
    await session`commit`;
    equal(await second, "ok");
    deepEqual(await counts(), [1001, 0, 0]);
  });

  await t.step("verbs of many notifications at once end without a deadlock, with right counts", async () => {
    await sql`delete from public.notifications`;
    await insert(500);
    const verbs = [
      () => as("ola", "mark_all_notifications_read", {}),
      () => as("ola", "archive_notification_group", { groupKey: "g1", link: null }),
      () => as("ola", "mark_notification_group_read", { groupKey: "g2", link: null }),
      () => as("ola", "unarchive_all_notifications", {}),
      () => insert(10).then(() => "ok"),
      () => sql`select private.fold_notification_counts()`.then(() => "ok"),
    ];
    deepEqual(await runConcurrently(30, (i) => verbs[i % verbs.length]()), { ok: 30 });
    const [expected] = await sql`
      select count(*) - count(archived_at) as inbox, count(*) - count(read_at) as unread, count(archived_at) as archived
      from public.notifications`;
    deepEqual(await counts(), Object.values(expected).map(Number));
  });

  await t.step("an account is deleted while notifications arrive and counts are folded", async () => {
    const ben = await id("ben");
    const arrive = () =>
      sql`
      insert into public.notifications (user_id, type, category, priority, title)
      values (${ben}, 'chat.message', 'team', 'low', 'N')`.then(() => "ok", ({ code }) => code);
    await arrive();
    const calls = [arrive, () => sql`select private.fold_notification_counts()`.then(() => "ok")];
    const running = runConcurrently(16, (i) => calls[i % 2]());
    equal(await as("ben", "delete_account", {}), "ok");
    const { ok, ...others } = await running;
    equal(ok >= 8, true);
    deepEqual(Object.keys(others).filter((code) => code !== "23503"), [], "an insert fails only without the account");
    await sql`select private.fold_notification_counts()`;
    const [{ left }] = await sql`
      select (select count(*) from private.notification_counts where user_id = ${ben})
        + (select count(*) from private.notification_count_changes where user_id = ${ben}) as left`;
    equal(Number(left), 0);
  });

  async function newest(): Promise<string> {
    return (await sql`select id from public.notifications where read_at is null order by created_at desc limit 1`)[0]
      .id;
  }
});
