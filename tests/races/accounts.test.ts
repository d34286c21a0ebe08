// Concurrent calls on users: confirmations beside the reaper, and operations beside the deletion of their account.
import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";
import { byScale } from "../scale.ts";
import { assertBlocks, createRaceDatabase, outcome, type RaceDatabase } from "./race_database.ts";

/** A sign-up that the reaper deletes. */
async function staleUser({ sql, id }: RaceDatabase, name: string): Promise<string> {
  await sql`select tests.person(${name}, false)`;
  const user = await id(name);
  await sql`update auth.users set created_at = now() - interval '30 days' where id = ${user}`;
  return user;
}

Deno.test("confirmations concurrent with reapers", async (t) => {
  await using there = await createRaceDatabase(4);
  const { sql } = there;

  await t.step("a confirmation that the reaper waits for is not lost", async () => {
    const user = await staleUser(there, "slow");
    let reaped = -1, reaping: Promise<string> | undefined;
    await sql.begin(async (confirming) => {
      await confirming`update auth.users set email_confirmed_at = now() where id = ${user}`;
      reaping = outcome(sql`select private.reap_unconfirmed_users() as n`.then(([{ n }]) => reaped = n));
      await assertBlocks(there, reaping);
    });
    deepEqual([await reaping, reaped], ["ok", 0]);
    const [{ kept }] = await sql`select exists (select from public.profiles where id = ${user}) as kept`;
    equal(kept, true);
  });

  await t.step("of 200 users who are confirmed while two reapers run, no confirmed user is lost", async () => {
    const counts = { confirmed: 0, reaped: 0 };
    for (let round = 0; round < 200; round++) {
      const user = await staleUser(there, `stale${round}`);
      /** Runs it after some round trips, so that the first of the three varies. */
      const delayed = async <T>(roundTrips: number, run: () => PromiseLike<T>) => {
        for (let n = 0; n < roundTrips; n++) await sql`select`;
        return await run();
      };
      const confirm = () =>
        sql`update auth.users set email_confirmed_at = now() where id = ${user}`.then(({ count }) => count);
      const reap = () => sql`select private.reap_unconfirmed_users() as n`.then(([{ n }]) => n as number);
      const [confirmed, first, second] = await Promise.all([
        delayed(round % 4, confirm),
        delayed(round % 3, reap),
        delayed(1, reap),
      ]);
      const [left] = await sql<{ users: number; profiles: number }[]>`
        select (select count(*)::int from auth.users where id = ${user}) as users,
          (select count(*)::int from public.profiles where id = ${user}) as profiles`;
      deepEqual([first + second, left], [1 - confirmed, { users: confirmed, profiles: confirmed }]);
      counts[confirmed ? "confirmed" : "reaped"]++;
    }
    console.log(`confirmations and reapers met 200 times: ${JSON.stringify(counts)}`);
  });
});

/** An operation that meets the deletion of its caller's account. */
interface Meeting {
  /** Makes the user `name`, and returns the operation and a row for which both wait. */
  prepare(there: RaceDatabase, name: string): Promise<{ run: () => Promise<string>; gate: string }>;
  /** The outcomes of the operation and the deletion if the operation is first, and if the deletion is. */
  operationFirst: [operation: string, deletion: string];
  deletionFirst: [operation: string, deletion: string];
}

const profileOf = (user: string) => `select from public.profiles where id = '${user}' for update`;

const meetings: Record<string, Meeting> = {
  create_podcast: {
    async prepare({ sql, as, id }, name) {
      await sql`select tests.person(${name})`;
      return { run: () => as(name, "create_podcast", { title: name }), gate: profileOf(await id(name)) };
    },
    operationFirst: ["ok", "PT409"],
    deletionFirst: ["PT403", "ok"],
  },
  "an insert into podcasts": {
    async prepare({ sql, id }, name) {
      await sql`select tests.person(${name})`;
      const user = await id(name);
      const run = () => outcome(sql`insert into public.podcasts (owner_id, title) values (${user}, ${name})`);
      return { run, gate: profileOf(user) };
    },
    operationFirst: ["ok", "PT409"],
    deletionFirst: ["23503", "ok"],
  },
  accept_podcast_transfer: {
    async prepare({ sql, as, id }, name) {
      await sql`select tests.podcast(${`${name}/show`}), tests.member(${name}, ${`${name}/show`})`;
      const transferId = (await sql`select tests.transfer(${`${name}/show`}, ${name}) as id`)[0].id;
      return { run: () => as(name, "accept_podcast_transfer", { transferId }), gate: profileOf(await id(name)) };
    },
    operationFirst: ["ok", "PT409"],
    deletionFirst: ["PT404", "ok"],
  },
  accept_podcast_invitation: {
    async prepare({ sql, as, id }, name) {
      await sql`select tests.person(${name}), tests.podcast(${`${name}/show`})`;
      const [{ invitationId }] = await sql`
        insert into public.podcast_invitations (podcast_id, email, invited_by, expires_at)
        select p.id, ${`${name}@test.example`}, p.owner_id, 'infinity' from public.podcasts p
        where p.id = tests.id(${`${name}/show`}) returning id as "invitationId"`;
      return { run: () => as(name, "accept_podcast_invitation", { invitationId }), gate: profileOf(await id(name)) };
    },
    operationFirst: ["ok", "ok"],
    deletionFirst: ["PT404", "ok"],
  },
  "the finish of an audio upload": {
    async prepare({ sql, id }, name) {
      const [show, episode] = [`${name}/show`, `${name}/episode`];
      await sql`select tests.podcast(${show}), tests.member(${name}, ${show}, 'admin'), tests.episode(${episode}, ${show})`;
      const [user, episodeId] = [await id(name), await id(episode)];
      await sql`update public.episodes set created_by = ${user} where id = ${episodeId}`;
      const [{ path }] = await sql`select tests.store_audio_object(${episode}, 7) as path`;
      const run = () =>
        outcome(sql`
          select private.finish_audio_upload(${user}, tests.id(${show}), ${episodeId}, ${path}, 7, 'audio/mpeg', 1, null)`);
      return { run, gate: `select from public.episodes where id = '${episodeId}' for update` };
    },
    operationFirst: ["ok", "ok"],
    deletionFirst: ["PT403", "ok"],
  },
  "the finish of an artwork import": {
    async prepare({ sql, id }, name) {
      await sql`select tests.person(${name})`;
      const user = await id(name), path = `imports/${user}/${crypto.randomUUID()}.png`;
      await sql`insert into storage.objects (bucket_id, name, metadata) values ('media', ${path}, '{"size": 7}')`;
      const run = () =>
        outcome(
          sql`select private.finish_artwork_import(${user}, ${path}, 7, 'image/png', '{"width": 1, "height": 1}')`,
        );
      return { run, gate: `select from public.billing_accounts where user_id = '${user}' for update` };
    },
    operationFirst: ["ok", "ok"],
    deletionFirst: ["PT404", "ok"],
  },
  begin_checkout: {
    async prepare({ sql, id }, name) {
      await sql`select tests.person(${name})`;
      await sql`select private.offer_plan_price('price_pro', 'pro', 'month', 'eur')`;
      const user = await id(name);
      return { run: () => outcome(sql`select private.begin_checkout(${user}, 'pro')`), gate: profileOf(user) };
    },
    operationFirst: ["ok", "ok"],
    deletionFirst: ["PT403", "ok"],
  },
  add_push_subscription: {
    async prepare({ sql, as, id }, name) {
      await sql`select tests.person(${name})`;
      const [{ subscription }] = await sql`
        select tests.browser_subscription('https://fcm.googleapis.com/fcm/send/' || ${name}) as subscription`;
      return { run: () => as(name, "add_push_subscription", { subscription }), gate: profileOf(await id(name)) };
    },
    operationFirst: ["ok", "ok"],
    deletionFirst: ["PT403", "ok"],
  },
  "the deletion of a podcast with messages of the user": {
    async prepare({ sql, id }, name) {
      const [show, episode] = [`${name}/show`, `${name}/episode`];
      await sql`select tests.podcast(${show}), tests.member(${name}, ${show}), tests.episode(${episode}, ${show})`;
      const [user, podcast] = [await id(name), await id(show)];
      await sql`insert into public.episode_messages (episode_id, body, sender_user_id) values (tests.id(${episode}), 'Bye', ${user})`;
      await sql`select tests.set_status(${show}, 'pending_deletion', now() - interval '91 days')`;
      const run = () => outcome(sql`select private.delete_due_podcast(${podcast})`);
      return { run, gate: `select from public.podcast_members where user_id = '${user}' for update` };
    },
    operationFirst: ["ok", "ok"],
    deletionFirst: ["ok", "ok"],
  },
  "the deletion of an episode with messages of the user": {
    async prepare({ sql, id }, name) {
      const [show, episode] = [`${name}/show`, `${name}/episode`];
      await sql`select tests.podcast(${show}), tests.member(${name}, ${show}), tests.episode(${episode}, ${show})`;
      const [user, episodeId] = [await id(name), await id(episode)];
      await sql`insert into public.episode_messages (episode_id, body, sender_user_id) values (${episodeId}, 'Bye', ${user})`;
      await sql`update public.episodes set created_by = ${user} where id = ${episodeId}`;
      const run = () => outcome(sql`delete from public.episodes where id = ${episodeId}`);
      return { run, gate: `select from public.episodes where id = '${episodeId}' for update` };
    },
    operationFirst: ["ok", "ok"],
    deletionFirst: ["ok", "ok"],
  },
  "offer_podcast_transfer to the user": {
    async prepare({ sql, as, id }, name) {
      const [show, owner] = [`${name}/show`, `${name}/owner`];
      await sql`select tests.podcast(${show}, ${owner}), tests.member(${name}, ${show})`;
      const [userId, podcastId] = [await id(name), await id(show)];
      const run = () => as(owner, "offer_podcast_transfer", { podcastId, userId });
      return { run, gate: `select from public.podcast_members where user_id = '${userId}' for update` };
    },
    operationFirst: ["ok", "ok"],
    deletionFirst: ["PT404", "ok"],
  },
};

/** What must never remain: rows of users who no longer exist. */
const ORPHANS = `
  select 'podcast' as kind from public.podcasts p where not exists (select from auth.users u where u.id = p.owner_id)
  union all select 'member' from public.podcast_members m where not exists (select from auth.users u where u.id = m.user_id)
  union all select 'object' from private.media_objects m where m.account_id is null and m.released_at is null
  union all select 'bytes' from public.billing_accounts a where a.storage_bytes_used <> (
    select coalesce(sum(m.bytes), 0) from private.media_objects m
    where m.account_id = a.user_id and m.released_at is null)`;

Deno.test("an operation concurrent with the deletion of its caller's account", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as } = there;
  for (const [operation, { prepare, operationFirst, deletionFirst }] of Object.entries(meetings)) {
    for (const first of ["operation", "deletion"]) {
      await t.step(`${operation} and delete_account, with the ${first} first`, async () => {
        const name = `${operation}, ${first}`.replaceAll(/\W+/g, "-");
        const { run, gate } = await prepare(there, name);
        const calls = [run, () => as(name, "delete_account", {})], ended: Promise<string>[] = [];
        if (first === "deletion") calls.reverse();
        await sql.begin(async (tx) => { // both wait, in this order
          await tx.unsafe(gate);
          for (const [n, call] of calls.entries()) await assertBlocks(there, ended[n] = call(), n);
        });
        const outcomes = await Promise.all(ended);
        if (first === "deletion") outcomes.reverse();
        deepEqual(outcomes, first === "operation" ? operationFirst : deletionFirst);
        deepEqual([...await sql.unsafe(ORPHANS)], []);
      });
    }
  }

  await t.step("in any order, one of the two is first and no row remains without its user", async () => {
    for (let round = 0; round < byScale(5, 60); round++) {
      await Promise.all(
        Object.entries(meetings).map(async ([operation, { prepare, operationFirst, deletionFirst }]) => {
          const name = `${operation}, ${round}`.replaceAll(/\W+/g, "-");
          const { run } = await prepare(there, name);
          const ended = await Promise.all([run(), as(name, "delete_account", {})]);
          ok(
            [operationFirst, deletionFirst].some((expected) => `${expected}` === `${ended}`),
            `${operation}: ${ended}`,
          );
        }),
      );
    }
    deepEqual([...await sql.unsafe(ORPHANS)], []);
  });
});
