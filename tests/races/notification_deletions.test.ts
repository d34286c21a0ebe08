// Deletions that meet at the notifications of one person: none ends in a deadlock, and no excerpt stays.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { callParameters, callStatement } from "../../functions/database/operations.ts";
import { assertBlocks, createRaceDatabase, outcome } from "./race_database.ts";

Deno.test("concurrent deletions of notifications", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as, id } = there;
  await sql`select tests.podcast('show', 'ola'), tests.member('mia', 'show'), tests.episode('pilot', 'show')`;
  await sql`create function tests.wait() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock(1); return null; end'`;
  await sql`create trigger t400_wait after update on public.podcast_transfers
    for each row execute function tests.wait()`;
  const episodeId = await id("pilot"), ola = await id("ola"), mia = await id("mia");

  /** Posts a message as Ola and notifies Mia and the guests of it. */
  async function post(body = "Hello"): Promise<string> {
    const [{ id: messageId }] = await sql`
      insert into public.episode_messages (episode_id, sender_user_id, body) values (${episodeId}, ${ola}, ${body})
      returning id`;
    const claims = JSON.stringify({ role: "authenticated", sub: ola });
    await sql.unsafe(callStatement("notify_chat_message"), callParameters(claims, { episodeId, messageId }));
    return messageId;
  }
  const left = async () =>
    (await sql`
      select n.body from public.notifications n where n.type like 'chat.%'
      union all select 'delivery' from public.notification_deliveries where type like 'chat.%'`).map(({ body }) =>
      body
    );

  /** Removes a recipient of a message, which waits for a lock, while the message is deleted. */
  async function removeDuringDeletion(lock: (tx: typeof sql) => Promise<unknown>, remove: () => Promise<string>) {
    const messageId = await post(), started: Promise<string>[] = [];
    await sql.begin(async (tx) => {
      await lock(tx as unknown as typeof sql);
      started.push(remove());
      await assertBlocks(there, started[0]);
      started.push(as("ola", "delete_episode_message", { messageId }));
      await assertBlocks(there, started[1], 1);
    });
    return await Promise.all(started);
  }

  // What is locked is deleted between deliveries and notifications, if foreign keys alone decide.
  await t.step("a guest's deletion and that of a message lock notifications before deliveries", async () => {
    const [{ guestId }] = await sql`select tests.guest('gus', 'pilot', 'active') as "guestId"`;
    const earlier = await post();
    const lock = (tx: typeof sql) =>
      tx`select from public.notifications where (episode_guest_id, metadata ->> 'message_id') = (${guestId}, ${earlier})
        for update`;
    const remove = () => outcome(sql`delete from public.episode_guests where id = ${guestId}`);
    deepEqual(await removeDuringDeletion(lock, remove), ["ok", "ok"]);
  });

  await t.step("an account's deletion and that of a message lock notifications before deliveries", async () => {
    const lock = (tx: typeof sql) => tx`select from public.notification_preferences where user_id = ${mia} for update`;
    deepEqual(await removeDuringDeletion(lock, () => as("mia", "delete_account", {})), ["ok", "ok"]);
    deepEqual(await left(), []);
  });

  for (const verb of ["withdrawal of a transfer", "removal of a member"]) {
    await t.step(`an account's deletion and the ${verb} lock the transfer before its notification`, async () => {
      const name = verb.slice(0, 3), member = `ben-${name}`, started: Promise<string>[] = [];
      await sql`select tests.podcast(${name}, 'ola'), tests.member(${member}, ${name})`;
      const podcastId = await id(name), userId = await id(member);
      await as("ola", "offer_podcast_transfer", { podcastId, userId });
      const [{ transferId }] = await sql`
        select id as "transferId" from public.podcast_transfers where podcast_id = ${podcastId}`;
      await sql.begin(async (holding) => {
        await holding`select pg_advisory_xact_lock(1)`;
        started.push(
          verb.startsWith("removal")
            ? outcome(sql`delete from public.podcast_members where (podcast_id, user_id) = (${podcastId}, ${userId})`)
            : as("ola", "withdraw_podcast_transfer", { transferId }),
        );
        await assertBlocks(there, started[0]);
        started.push(as(member, "delete_account", {}));
        await assertBlocks(there, started[1], 1);
      });
      deepEqual(await Promise.all(started), ["ok", "ok"]);
    });
  }

  await t.step("an account's deletion and the digests do not wait for each other", async () => {
    await sql`select tests.member('dia', 'show'), tests.member('eda', 'show')`;
    const dia = await id("dia"), eda = await id("eda"), started: Promise<string>[] = [];
    await sql`update public.notification_preferences set digest_frequency = 'daily' where user_id in (${dia}, ${eda})`;
    await sql`select private.notify('podcast.paused', private.user_recipients(${dia}, ${eda}),
      jsonb_build_object('podcast_id', ${await id("show")}::uuid))`;
    await sql`update private.digests set next_at = now()`;
    await sql.begin(async (holding) => {
      await holding`select from public.podcast_members where user_id = ${dia} for update`;
      started.push(as("dia", "delete_account", {})); // has the profile
      await assertBlocks(there, started[0]);
      equal(await outcome(sql`select private.send_due_digests()`), "ok");
    });
    deepEqual(await Promise.all(started), ["ok"]);
    const digests = await sql`select user_id from public.notification_deliveries where type = 'inbox.digest'`;
    deepEqual(digests.map(({ user_id }) => user_id), [eda]);
    await sql`delete from public.podcast_members where user_id = ${eda}`;
  });

  await t.step("a message that is being deleted notifies no one who was locked when it was sent", async () => {
    await sql`select tests.member('max', 'show')`;
    let messageId = "", running: Promise<string>;
    await sql.begin(async (locking) => {
      await locking`select from public.profiles where id = ${await id("max")} for update`;
      messageId = await post("Secret");
    });
    const waiting = await sql`
      select notified_count as n from private.events where processed_at is null and type like 'chat.%'`;
    deepEqual(waiting.map(({ n }) => n), [0]);
    await sql.begin(async (deleting) => {
      await deleting`update public.episode_messages set body = null, deleted_at = now() where id = ${messageId}`;
      running = outcome(sql`select private.fan_out_waiting_events()`);
      await assertBlocks(there, running);
    });
    await running!;
    await sql`select private.fan_out_waiting_events()`;
    deepEqual(await left(), []);
    deepEqual([...await sql`select from private.events where processed_at is null`.values()], []);
  });
});
