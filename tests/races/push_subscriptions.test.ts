// Concurrent calls on push subscriptions: registrations of one endpoint, and results of deliveries to one user.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { createBrowserKeys } from "../push/decrypt.ts";
import { waitFor } from "../wait_for.ts";
import { createRaceDatabase, runConcurrently } from "./race_database.ts";

/** What a browser returns for this endpoint, with new keys. */
function browser(name: string) {
  const { publicKey, auth } = createBrowserKeys();
  const keys = { p256dh: publicKey.toString("base64url"), auth: auth.toString("base64url") };
  return { endpoint: `https://fcm.googleapis.com/fcm/send/${name}`, expirationTime: null, keys };
}

Deno.test("concurrent calls on push subscriptions", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as } = there;
  const users = ["ada", "ben", "cem", "dot"];
  for (const user of users) await sql`select tests.person(${user})`;
  const add = (user: string, subscription: ReturnType<typeof browser>, deviceLabel = "Browser") =>
    as(user, "add_push_subscription", { subscription, deviceLabel });

  await t.step(
    "registering one endpoint by four users at once gives it to one, with the keys of that call",
    async () => {
      const calls = Array.from({ length: 20 }, (_, i) => ({ label: `call ${i}`, subscription: browser("shared") }));
      const ended = await runConcurrently(20, (i) => add(users[i % 4], calls[i].subscription, calls[i].label));
      deepEqual(ended, { ok: 20 });
      const rows = await sql`
      select u.name as user, s.device_label as label, k.p256dh from public.push_subscriptions s
      join private.push_subscription_keys k on k.subscription_id = s.id join tests.ids u on u.id = s.user_id`;
      equal(rows.length, 1);
      const winner = calls.findIndex(({ label }) => label === rows[0].label);
      deepEqual([rows[0].user, rows[0].p256dh], [users[winner % 4], calls[winner].subscription.keys.p256dh]);
    },
  );

  await t.step("registering thirty browsers of one user at once keeps twenty", async () => {
    const ended = await runConcurrently(30, (i) => add("ada", browser(`ada-${i}`)));
    deepEqual(ended, { ok: 30 });
    const [{ n }] = await sql`
      select count(*)::int as n from public.push_subscriptions s join tests.ids u on u.id = s.user_id
      where u.name = 'ada'`;
    equal(n, 20);
  });

  await t.step(
    "the results of forty deliveries to the same browsers are recorded at once without a deadlock",
    async () => {
      await sql`select tests.push_delivery('d' || n, 'ada') from generate_series(0, 39) n`;
      const ended = await runConcurrently(40, async (i) => {
        await sql`select private.begin_push_delivery(tests.id(${`d${i}`}))`;
        await sql`
        select private.record_push_sends(tests.id(${`d${i}`}), jsonb_agg(jsonb_build_object(
          'subscription_id', s.subscription_id, 'outcome', 'accepted') order by md5(s.subscription_id::text || ${i}::int)))
        from private.push_sends s where s.delivery_id = tests.id(${`d${i}`})`;
        return "ok";
      });
      deepEqual(ended, { ok: 40 });
      const [{ n }] = await sql`
      select count(*)::int as n from public.notification_deliveries where status = 'sent' and channel = 'push'`;
      equal(n, 40);
    },
  );

  await t.step(
    "results are recorded while the user's oldest browser is being deleted, without a deadlock",
    async () => {
      await add("ben", browser("ben-old"));
      const [{ id }] = await sql`
      select s.id from public.push_subscriptions s where s.endpoint like '%/ben-old'`;
      await sql`select tests.push_delivery('late', 'ben'), private.begin_push_delivery(tests.id('late'))`;
      const results = JSON.stringify([{ subscription_id: id, outcome: "accepted" }]);
      const recorded = await sql.begin(async (deletion) => {
        await deletion`select from public.push_subscriptions where id = ${id} for update`;
        const recording = sql`select private.record_push_sends(tests.id('late'), ${results}::text::jsonb)`.execute();
        await waitFor(
          "the recording to wait",
          async () =>
            (await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
          and query like '%record_push_sends%'`).length > 0,
        );
        await deletion`delete from public.push_subscriptions where id = ${id}`;
        return [recording];
      });
      equal((await recorded[0]).length, 1);
    },
  );

  await t.step("end_rejected_push_subscriptions leaves out a subscription that is locked", async () => {
    await add("cem", browser("cem-1"));
    await add("cem", browser("cem-2"));
    await sql`
      update public.push_subscriptions set rejected_since = '2026-05-01', last_failure_at = '2026-05-09T11:00Z'
      where endpoint like '%/cem-%'`;
    await add("ben", browser("ben-accepting"));
    await sql`
      update public.push_subscriptions set last_used_at = '2026-05-09T10:00Z' where endpoint like '%/ben-accepting'`;
    const end = () =>
      sql.begin(async (job) => {
        await job`set local lock_timeout = '5s'`;
        return [...await job`select private.end_rejected_push_subscriptions('2026-05-09T12:00Z') as ended`];
      });
    await sql.begin(async (recording) => {
      await recording`select from public.push_subscriptions where endpoint like '%/cem-1' for no key update`;
      deepEqual(await end(), [{ ended: 1 }]);
    });
    deepEqual(await end(), [{ ended: 1 }]);
  });
});
