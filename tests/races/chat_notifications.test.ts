// Chat notifications while messages, readers, the scheduler and the worker meet: nothing is lost, and nothing is
// emailed twice.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { callParameters, callStatement } from "../../functions/database/operations.ts";
import { seededRandom } from "../random.ts";
import { byScale } from "../scale.ts";
import { within } from "../wait_for.ts";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("concurrent calls about chat notifications", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as, id } = there;
  await sql`update private.settings set value = '1000000' where key = 'max_chat_notifications_per_minute'`;
  await sql`select tests.podcast('show', 'ola'), tests.member('mia', 'show'), tests.member('max', 'show')`;
  type Sql = typeof sql;

  /** An episode with the team and an active guest, whose access token is their name. */
  async function chat(episode: string) {
    await sql`select tests.episode(${episode}, 'show'), tests.guest_with_token(${`gus-${episode}`}, ${episode}, 'active')`;
    return await id(episode);
  }
  async function post(sender: string, episodeId: string, body = "Hello"): Promise<string> {
    const [message] = await sql`insert into public.episode_messages (episode_id, sender_user_id, body)
      values (${episodeId}, ${await id(sender)}, ${body}) returning id`;
    return message.id;
  }
  async function notify(sender: string, episodeId: string, messageId: string, tx: Sql = sql) {
    const claims = JSON.stringify({ role: "authenticated", sub: await id(sender) });
    const [{ text }] = await tx.unsafe(
      callStatement("notify_chat_message"),
      callParameters(claims, { episodeId, messageId }),
    );
    return JSON.parse(text) as { notifiedCount: number; dedupedCount: number };
  }
  /** Runs `first` in a transaction, starts `second`, which waits for it or not, and commits. */
  async function overlap(first: (tx: Sql) => Promise<unknown>, second: () => Promise<string>): Promise<string> {
    let started: Promise<string> | undefined;
    await sql.begin(async (tx) => {
      await first(tx as unknown as Sql);
      started = second();
      await assertBlocks(there, started);
    });
    return await started!;
  }
  /** The emails to a user about an episode, with the bodies that they list or listed when they were begun. */
  const emails = async (user: string, episodeId: string): Promise<string[]> =>
    (await sql`
      select d.status || ': ' || coalesce((
        select string_agg(i ->> 'body', ' ') from private.delivery_sends s, jsonb_array_elements(s.content -> 'items') i
        where s.delivery_id = d.id), (
        select string_agg((l.notification).body, ' ') from private.delivery_notifications(d.id) l), 'nothing') as email
      from public.notification_deliveries d
      where d.user_id = ${await id(user)} and d.channel = 'email' and d.collapse_key like ${`%${episodeId}%`}
      order by d.created_at, d.id`).map(({ email }) => email);
  const enqueue = (tx: Sql = sql) => tx`select private.enqueue_due_deliveries(clock_timestamp() + interval '1 hour')`;
  /** Begins each queued email, as the worker does. */
  async function begin(tx: Sql = sql) {
    const queued =
      await sql`select id from public.notification_deliveries where status = 'queued' and channel = 'email'`;
    for (const { id } of queued) await tx`select private.begin_email_delivery(${id})`;
  }
  const read = (user: string, tx: Sql = sql) =>
    id(user).then((userId) =>
      tx`update public.notifications set read_at = now() where user_id = ${userId} and read_at is null`
    );

  await t.step("twenty calls for one message at once notify each person once, and their counts add up", async () => {
    const episodeId = await chat("repeated"), messageId = await post("ola", episodeId);
    const counts = await Promise.all(Array.from({ length: 20 }, () => notify("ola", episodeId, messageId)));
    const total = (name: keyof typeof counts[0]) => counts.reduce((sum, count) => sum + count[name], 0);
    deepEqual([total("notifiedCount"), total("dedupedCount")], [3, 57]);
    const [{ n }] = await sql`select count(*)::int as n from public.notifications
      where metadata ->> 'message_id' = ${messageId}`;
    equal(n, 3);
    deepEqual(await emails("mia", episodeId), ["pending: Hello"]);
  });

  await t.step("calls for twenty messages of three senders at once add all to one email per person", async () => {
    const episodeId = await chat("busy"), senders = ["ola", "mia", "max"];
    const ended = await runConcurrently(20, async (n) => {
      const sender = senders[n % 3], messageId = await post(sender, episodeId, String(n));
      return await outcome(notify(sender, episodeId, messageId));
    });
    deepEqual(ended, { ok: 20 });
    for (const [n, sender] of senders.entries()) {
      const [email, ...others] = await emails(sender, episodeId);
      deepEqual(others, []);
      const listed = email.replace("pending: ", "").split(" ").map(Number);
      deepEqual(listed.sort((a, b) => a - b), Array.from({ length: 20 }, (_, i) => i).filter((i) => i % 3 !== n));
    }
  });

  await t.step("a message that is added to an email keeps it from the scheduler until it is committed", async () => {
    const episodeId = await chat("adding");
    await notify("ola", episodeId, await post("ola", episodeId, "one"));
    const second = await post("ola", episodeId, "two");
    await sql.begin(async (tx) => {
      await notify("ola", episodeId, second, tx as unknown as Sql);
      await enqueue();
    });
    deepEqual(await emails("mia", episodeId), ["pending: one two"]);
  });

  await t.step("a message during the scheduler's run begins another email", async () => {
    const episodeId = await chat("scheduled");
    await notify("ola", episodeId, await post("ola", episodeId, "one"));
    const second = await post("ola", episodeId, "two");
    equal(await overlap(enqueue, () => outcome(notify("ola", episodeId, second))), "ok");
    deepEqual(await emails("mia", episodeId), ["queued: one", "pending: two"]);
  });

  await t.step(
    "an email that is read while the worker begins it is sent or canceled, as the first decides",
    async () => {
      for (const [first, expected] of [["read", ["canceled: nothing"]], ["begin", ["queued: one"]]] as const) {
        const episodeId = await chat(`begun-after-${first}`);
        await notify("ola", episodeId, await post("ola", episodeId, "one"));
        await enqueue();
        const steps = { read: (tx?: Sql) => read("mia", tx), begin };
        const second = first === "read" ? "begin" : "read";
        equal(await overlap(steps[first], () => outcome(steps[second]() as Promise<unknown>)), "ok");
        deepEqual(await emails("mia", episodeId), expected);
      }
    },
  );

  await t.step("changes of notifications and their emails do not wait for a deletion of the account", async () => {
    const episodeId = await chat("account"), messageId = await post("ola", episodeId);
    await notify("ola", episodeId, messageId);
    await notify("ola", episodeId, await post("ola", episodeId));
    await enqueue();
    await sql.begin(async (tx) => {
      await tx`select from public.profiles where id = ${await id("mia")} for update`; // as delete_account does
      equal(await within("deleting a message", as("ola", "delete_episode_message", { messageId })), "ok");
      await within("reading", read("mia"));
    });
  });

  await t.step("an account that is deleted while its notifications are read leaves no counts", async () => {
    await sql`select tests.member('eve', 'show')`;
    const userId = await id("eve"), episodeId = await chat("leaving");
    await notify("ola", episodeId, await post("ola", episodeId));
    equal(await overlap((tx) => read("eve", tx), () => as("eve", "delete_account", {})), "ok");
    const left = await sql`select from private.notification_count_changes where user_id = ${userId}`;
    equal(left.length, 0);
  });

  await t.step("changes that read nothing of a delivery do not wait for it", async () => {
    const episodeId = await chat("waiting");
    await notify("ola", episodeId, await post("ola", episodeId));
    await sql`insert into public.notifications (user_id, type, category, priority, title, scheduled_for, read_at)
      select ${await id("mia")}, 'import.completed', 'system', 'normal', title, scheduled_for, read_at
      from (values ('due', now() - interval '1 hour', null), ('read', null, now())) v (title, scheduled_for, read_at)`;
    await sql.begin(async (tx) => {
      await tx`select from public.notification_deliveries where status = 'pending' for update`; // as a scheduler does
      for (
        const statement of [
          "select private.release_due_notifications()",
          "update public.notifications set read_at = now() where title = 'due'",
          "update public.notifications set archived_at = now() where title = 'read'",
          "update public.notifications set archived_at = null, read_at = null where title = 'read'",
        ]
      ) {
        await within(statement, sql.unsafe(statement));
      }
    });
  });

  await t.step("a message that is added while the others are read is emailed", async () => {
    for (const first of ["read", "notify"]) {
      const episodeId = await chat(`added-after-${first}`);
      await notify("ola", episodeId, await post("ola", episodeId, "one"));
      const second = await post("ola", episodeId, "two");
      const steps = [(tx?: Sql) => read("mia", tx), (tx?: Sql) => notify("ola", episodeId, second, tx)];
      if (first === "notify") steps.reverse();
      equal(await overlap(steps[0], () => outcome(steps[1]() as Promise<unknown>)), "ok");
      deepEqual(
        await emails("mia", episodeId),
        first === "read" ? ["canceled: nothing", "pending: two"] : ["pending: two"],
      );
    }
  });

  await t.step("the last two notifications of an email, read at once, cancel it", async () => {
    const episodeId = await chat("halves");
    for (const body of ["one", "two"]) await notify("ola", episodeId, await post("ola", episodeId, body));
    const readOne = (body: string, tx: Sql = sql) =>
      id("mia").then((userId) =>
        tx`update public.notifications set read_at = now() where user_id = ${userId} and body = ${body}`
      );
    equal(await overlap((tx) => readOne("one", tx), () => outcome(readOne("two"))), "ok");
    deepEqual(await emails("mia", episodeId), ["canceled: nothing"]);
  });

  await t.step("a message that is deleted while it is notified leaves no notification", async () => {
    const episodeId = await chat("deleted"), messageId = await post("ola", episodeId, "secret");
    const remove = () => as("ola", "delete_episode_message", { messageId });
    equal(await overlap((tx) => notify("ola", episodeId, messageId, tx), remove), "ok");
    const other = await post("ola", episodeId, "secret");
    const ended = await overlap(
      (tx) => tx`update public.episode_messages set body = null, deleted_at = now() where id = ${other}`,
      () => outcome(notify("ola", episodeId, other)),
    );
    equal(ended, "PT404");
    equal((await sql`select from public.notifications where body = 'secret'`).length, 0);
    deepEqual(await emails("mia", episodeId), ["canceled: nothing"]);
  });

  await t.step("an episode that is deleted while its chat is notified leaves no notification", async () => {
    for (const first of ["notify", "delete"]) {
      const episodeId = await chat(`deleted-${first}`), messageId = await post("ola", episodeId, "gone");
      const steps = [
        (tx?: Sql) => notify("ola", episodeId, messageId, tx),
        (tx: Sql = sql) => tx`delete from public.episodes where id = ${episodeId}`,
      ];
      if (first === "delete") steps.reverse();
      const ended = await overlap(steps[0], () => outcome(steps[1]() as Promise<unknown>));
      equal(ended, first === "notify" ? "ok" : "PT404");
      equal((await sql`select from public.notifications where body = 'gone'`).length, 0);
      deepEqual(await emails("mia", episodeId), first === "notify" ? ["canceled: nothing"] : []);
    }
  });

  const MESSAGES = byScale(60, 2000), SEED = 71;
  await t.step(`each unread one of ${MESSAGES} messages is emailed once while all is read at random`, async () => {
    await sql`update public.notification_deliveries set status = 'canceled' where status in ('pending', 'queued')`;
    const dice = seededRandom(SEED), episodeId = await chat("history"), senders = ["ola", "mia", "max"];
    const deleted = new Set<string>();
    let open = true;
    const until = async (work: () => Promise<unknown>) => {
      while (open) await work();
    };
    const sending = runConcurrently(4, async (n) => {
      for (let i = n; i < MESSAGES; i += 4) {
        const sender = dice.one(senders), body = `no. ${i}`, messageId = await post(sender, episodeId, body);
        ok((await notify(sender, episodeId, messageId)).notifiedCount > 0);
        if (!dice.chance(0.1)) continue;
        deleted.add(body);
        equal(await as(sender, "delete_episode_message", { messageId }), "ok");
      }
      return "ok";
    });
    const others = Promise.all([
      until(enqueue),
      until(enqueue),
      until(begin),
      until(begin),
      until(async () => {
        await sql`update public.notifications set read_at = now() where id = (
          select n.id from public.notifications n where n.read_at is null and n.user_id is not null
          order by random() limit 1)`;
      }),
    ]);
    deepEqual(await sending, { ok: 4 });
    open = false;
    await others;
    await sql`select private.enqueue_due_deliveries(clock_timestamp() + interval '2 days')`; // emails that back off
    await begin();
    const rows = await sql<{ name: string; body: string; isRead: boolean; emails: number }[]>`
      select coalesce(n.user_id, n.episode_guest_id) as name, n.body, n.read_at is not null as "isRead", (
        select count(*)::int from private.collapsed_notifications c
        join private.delivery_sends s on s.delivery_id = c.delivery_id
        where c.notification_id = n.id and s.content ? 'items') as emails
      from public.notifications n where n.metadata ->> 'episode_id' = ${episodeId} and n.type like 'chat%'`;
    equal(rows.filter(({ body }) => deleted.has(body)).length, 0);
    deepEqual(rows.filter(({ isRead, emails }) => emails > 1 || !isRead && emails !== 1), []);
    equal(new Set(rows.map(({ body }) => body)).size, MESSAGES - deleted.size);
    const [{ left }] = await sql`select count(*)::int as left from public.notification_deliveries d
      where d.status in ('pending', 'queued') and d.channel = 'email'
        and not exists (select from private.delivery_sends s where s.delivery_id = d.id)`;
    equal(left, 0);
  });
});
