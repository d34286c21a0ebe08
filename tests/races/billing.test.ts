// Concurrent changes of podcasts, synchronizations and events: the desired state always follows from the facts.
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import type postgres from "postgres";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

/** Subscriptions that differ from the facts. */
const WRONG = `
  select s.user_id, s.has_open_podcasts, s.is_collection_void, s.podcasts_closed_at, f.active, f.open
  from private.subscriptions s cross join lateral (
    select count(*) filter (where p.status = 'active') as active, count(*) as open
    from public.podcasts p where p.owner_id = s.user_id and p.status in ('active', 'paused')) f
  where (s.has_open_podcasts, s.is_collection_void) is distinct from (f.open > 0, f.open > 0 and f.active = 0)
    or (s.podcasts_closed_at is not null and f.open > 0)
    or (s.podcasts_closed_at is null and f.open = 0 and s.stripe_customer_id = 'cus_ola')`; // eva may never have had one

const subscription = (status: string) => ({
  id: "sub_1",
  object: "subscription",
  customer: "cus_ola",
  status,
  created: 1,
  cancel_at: null,
  cancel_at_period_end: false,
  pause_collection: null,
  metadata: {},
  items: { data: [] },
});

Deno.test("pauses, deletions, transfers, synchronizations and events at once leave the desired state of the facts", async () => {
  await using there = await createRaceDatabase();
  const { sql, id } = there;
  await sql`select tests.person('ola'), tests.person('eva'), tests.subscription('ola'), tests.subscription('eva')`;
  const names = Array.from({ length: 4 }, (_, n) => `show${n}`);
  for (const name of names) await sql`select tests.podcast(${name}, 'ola')`;
  const [ola, eva, row] = await Promise.all([id("ola"), id("eva"), id("ola/subscription")]);
  const dice = seededRandom(12);
  const statuses = ["active", "paused", "pending_deletion", "paused", "active"];
  let events = 0;

  const setStatus = () =>
    sql`select tests.set_podcast_status(${dice.one(names)}, ${dice.one(statuses)}::public.podcast_status)`;
  const transfer = () =>
    sql`
    update public.podcasts set owner_id = ${dice.one([ola, eva])} where id = tests.id(${dice.one(names)})`;
  const read = () =>
    sql`
    select private.record_stripe_reading(${row}, ${sql.json([subscription("active")])}, clock_timestamp())`;
  const record = () =>
    sql`select private.record_stripe_event(${
      sql.json({
        id: `evt_${++events}`,
        type: "customer.subscription.updated",
        created: 2_000_000_000 + events,
        data: { object: subscription(dice.one(["active", "past_due", "unpaid"])) },
      })
    })`;
  const total: Record<string, number> = {};
  for (let round = 0; round < byScale(40, 400); round++) {
    const works = Array.from({ length: 8 }, () => dice.one([setStatus, setStatus, setStatus, transfer, read, record]));
    const counts = await runConcurrently(works.length, (i) => outcome(works[i]()));
    for (const [ended, n] of Object.entries(counts)) total[ended] = (total[ended] ?? 0) + n;
    deepEqual([...await sql.unsafe(WRONG)], [], `round ${round}`);
  }
  console.log(`billing races: ${JSON.stringify(total)}`);
  // a podcast that is pending deletion cannot be transferred, and some changes of status are not allowed
  deepEqual(Object.keys(total).filter((ended) => !["ok", "PT409"].includes(ended)), []);
  ok(total.ok > total.PT409);
});

Deno.test("a checkout and the deletion of its account at once leave a message for the session", async () => {
  await using there = await createRaceDatabase(6);
  const { sql, id } = there;
  await sql`select private.offer_plan_price('price_pro', 'pro', 'month', 'eur')`;
  const seen: Record<string, number> = {};
  for (let round = 0; round < byScale(30, 200); round++) {
    const name = `payer${round}`;
    await sql`select tests.person(${name})`;
    const user = await id(name);
    await sql`select pgmq.purge_queue('billing_sync')`;
    let session = false;
    const pay = outcome((async () => {
      const [{ row }] = await sql`select private.begin_checkout(${user}, 'pro') ->> 'id' as row`;
      await sql`select private.store_stripe_customer(${row}, ${`cus_${name}`}, 1)`;
      await sql`select private.store_checkout_session(${row}, 1, ${`cs_${name}`}, 'price_pro')`;
      session = true;
    })());
    const remove = (async () => {
      for (let n = 0; n < round % 5; n++) await sql`select`;
      return await outcome(sql`delete from auth.users where id = ${user}`);
    })();
    const ended = (await Promise.all([pay, remove])).join(" ");
    seen[ended] = (seen[ended] ?? 0) + 1;
    const [left] = await sql<{ rows: number; owned: number; messages: number }[]>`
      select count(*)::int as rows, count(user_id)::int as owned,
        (select count(*)::int from pgmq.q_billing_sync where message ->> 'subscription_id' = min(s.id::text)) as messages
      from private.subscriptions s where s.stripe_customer_id = ${`cus_${name}`}`;
    deepEqual(left.owned, 0);
    if (session) ok(left.rows === 1 && left.messages >= 1, `${name}: ${JSON.stringify(left)}`);
  }
  console.log(`checkouts and deletions of accounts: ${JSON.stringify(seen)}`);
  deepEqual(Object.keys(seen).filter((ended) => !["ok ok", "PT403 ok"].includes(ended)), []);
});

Deno.test("a first checkout and a change of a podcast at once see each other", async (t) => {
  await using there = await createRaceDatabase(4);
  const { sql, id } = there;
  await sql`select private.offer_plan_price('price_pro', 'pro', 'month', 'eur')`;
  const checkout = (query: postgres.ISql, user: string) => query`select private.begin_checkout(${user}, 'pro')`;
  const pause = (query: postgres.ISql, show: string) => query`select tests.set_podcast_status(${show}, 'paused')`;
  const start = async (name: string) => {
    await sql`select tests.person(${name}), tests.podcast(${`show of ${name}`}, ${name})`;
    return { user: await id(name), show: `show of ${name}` };
  };
  const assertVoid = async (user: string) => {
    const rows = await sql`select has_open_podcasts as open, is_collection_void as void from private.subscriptions
      where user_id = ${user}`;
    deepEqual(rows.map((row) => ({ ...row })), [{ open: true, void: true }]);
  };

  await t.step("a first checkout waits for an uncommitted change of a podcast", async () => {
    const { user, show } = await start("ola");
    let call!: Promise<unknown>;
    await sql.begin(async (change) => {
      await pause(change, show);
      await assertBlocks(there, call = checkout(sql, user));
    });
    await call;
    await assertVoid(user);
  });

  await t.step("a change of a podcast waits for an uncommitted first checkout", async () => {
    const { user, show } = await start("eva");
    let call!: Promise<unknown>;
    await sql.begin(async (first) => {
      await checkout(first, user);
      await assertBlocks(there, call = pause(sql, show));
    });
    await call;
    await assertVoid(user);
  });

  await t.step("changes and first checkouts of many accounts end in the desired state of the facts", async () => {
    for (let round = 0; round < byScale(15, 150); round++) {
      const { user, show } = await start(`user ${round}`);
      await Promise.all([checkout(sql, user), pause(sql, show)]);
      await assertVoid(user);
    }
  });

  await t.step("a change of a podcast waits for no other account", async () => {
    const ola = await start("ada"), eva = await start("bea");
    await sql.begin(async (change) => {
      await pause(change, ola.show);
      await pause(sql, eva.show);
      await checkout(sql, eva.user);
    });
  });
});

Deno.test("derive_subscriptions of the same users at once locks in one order", async () => {
  await using there = await createRaceDatabase();
  const { sql } = there;
  await sql`select tests.person('user ' || n), tests.subscription('user ' || n) from generate_series(1, 300) n`;
  const [{ users }] = await sql`select array_agg(user_id) as users from private.subscriptions`;
  for (let round = 0; round < byScale(10, 50); round++) {
    const counts = await runConcurrently(8, () => outcome(sql`select private.derive_subscriptions(${users}::uuid[])`));
    deepEqual(counts, { ok: 8 });
  }
});
