// Concurrent calls on the same guest: on the record, the response and the linked user.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { callParameters, callStatement, type Operation } from "../../functions/database/operations.ts";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("concurrent calls on guests", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as, id } = there;
  await sql`select tests.podcast('show', 'ola'), tests.episode('pilot', 'show')`;
  const episodeId = await id("pilot");
  const invite = (email: string, to = episodeId) =>
    as("ola", "invite_guest", { episodeId: to, email, displayName: "Gina" });
  const emails = async (email: string) =>
    (await sql`select count(*)::int as n from private.delivery_addresses where email = ${email}`)[0].n;

  /** The guest of that address, with the access token `token`. */
  async function invited(email: string, token: string, to = episodeId) {
    equal(await invite(email, to), "ok");
    const [{ id }] = await sql`
      insert into private.access_tokens (digest, kind, subject_id, expires_at)
      select sha256(${token}), 'guest_invitation', e.id, 'infinity'
      from public.episode_guests e join public.podcast_guests g on g.id = e.podcast_guest_id
      where g.email = ${email} and e.episode_id = ${to} returning subject_id as id`;
    await sql`select tests.send_emails()`;
    return id as string;
  }
  const respond = (operation: Operation, accessToken: string, more = {}) =>
    outcome(sql.unsafe(callStatement(operation), callParameters('{"role":"anon"}', { accessToken, ...more })));

  await t.step("inviting one email twenty times at once creates one podcast guest and one episode guest", async () => {
    const ended = await runConcurrently(20, (i) => invite(i % 2 ? "gina@guests.test" : "GINA@guests.test"));
    deepEqual(ended, { ok: 1, PT429: 19 });
    const [{ records, guests }] = await sql`
      select (select count(*)::int from public.podcast_guests) as records, (select count(*)::int from public.episode_guests) as guests`;
    deepEqual([records, guests], [1, 1]);
    equal(await emails("gina@guests.test"), 1);
  });

  await t.step(
    "of thirty podcasts that invite one address at once, twenty email it today and ten tomorrow",
    async () => {
      await sql`select tests.podcast('p' || n, 'owner' || n), tests.episode('e' || n, 'p' || n) from generate_series(0, 29) n`;
      const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => id(`e${n}`)));
      const args = { email: "known@guests.test", displayName: "Known" };
      const ended = await runConcurrently(30, (n) => as(`owner${n}`, "invite_guest", { episodeId: ids[n], ...args }));
      deepEqual(ended, { ok: 30 });
      const states = await sql`
      select e.email_status as status, count(*)::int as n from public.episode_guests e
      join public.podcast_guests g on g.id = e.podcast_guest_id where g.email = ${args.email} group by 1 order by 1`;
      deepEqual([...states], [{ status: "waiting", n: 10 }, { status: "queued", n: 20 }]);
    },
  );

  await t.step("a guest who declines while ten invitations are sent gets at most one more email", async () => {
    const guest = await invited("dee@guests.test", "declining");
    let declining: Promise<string> | undefined, inviting: Promise<Record<string, number>> | undefined;
    await sql.begin(async (tx) => { // all wait for the guest, the response first
      await tx`select from public.episode_guests where id = ${guest} for update`;
      declining = respond("decline_guest_invitation", "declining");
      await assertBlocks(there, declining);
      inviting = runConcurrently(10, () => invite("dee@guests.test"));
      await assertBlocks(there, declining, 10);
    });
    equal(await declining, "ok");
    deepEqual(await inviting, { ok: 1, PT429: 9 });
    equal(await emails("dee@guests.test"), 2);
  });

  await t.step("accepting an invitation twenty times at once records the event guest.accepted once", async () => {
    const guest = await invited("gus@guests.test", "token");
    deepEqual(await runConcurrently(20, () => respond("accept_guest_invitation", "token")), { ok: 20 });
    const events =
      await sql`select from private.events where type = 'guest.accepted' and payload ->> 'episode_guest_id' = ${guest}`;
    equal(events.length, 1);
  });

  await t.step("a guest who accepts during their removal does not become active", async () => {
    const guest = await invited("rem@guests.test", "removed");
    let accepting: Promise<string> | undefined;
    await sql.begin(async (removing) => {
      await removing`update public.episode_guests set status = 'removed' where id = ${guest}`;
      accepting = respond("accept_guest_invitation", "removed");
      await assertBlocks(there, accepting); // the token was still valid; the response waits for the row
    });
    equal(await accepting, "PT401");
    const [{ status }] = await sql`select status from public.episode_guests where id = ${guest}`;
    equal(status, "removed");
  });

  for (
    const [operation, visited] of [
      ["accept_guest_invitation", "never"],
      ["accept_guest_invitation", "just now"],
      ["decline_guest_invitation", "just now"],
      ["get_guest_episode", "never"],
      ["post_guest_message", "never"],
      ["post_guest_message", "just now"],
    ] as const
  ) {
    await t.step(
      `deleting an episode and ${operation} do not deadlock (last visit: ${visited})`,
      async () => {
        const token = `${operation}-${visited}`;
        await sql`select tests.episode(${token}, 'show')`;
        const episodeToDelete = await id(token),
          guest = await invited(`${operation}@guests.test`, token, episodeToDelete);
        if (visited !== "never") {
          await sql`update public.episode_guests set last_accessed_at = now() where id = ${guest}`;
        }
        let deleted: Promise<string> | undefined, responding: Promise<string> | undefined;
        await sql.begin(async (tx) => { // both wait for the episode with their locks, the deletion first
          await tx`select from public.episodes where id = ${episodeToDelete} for update`;
          deleted = outcome(sql`delete from public.episodes where id = ${episodeToDelete}`);
          await assertBlocks(there, deleted);
          responding = respond(operation, token, operation === "post_guest_message" ? { body: "Hello" } : {});
          await assertBlocks(there, responding, 1);
        });
        deepEqual([await deleted, await responding], ["ok", "PT401"]);
      },
    );
  }

  for (const first of ["invitation", "confirmation"]) {
    await t.step(`a guest and a user created concurrently are linked (${first} first)`, async () => {
      const name = `linked-${first}`, email = `${name}@test.example`;
      await sql`select tests.person(${name}, false)`;
      const steps = [
        (tx: typeof sql) =>
          tx`insert into public.podcast_guests (podcast_id, display_name, email) values (tests.id('show'), 'M', ${email})`,
        (tx: typeof sql) => tx`update auth.users set email_confirmed_at = now() where email = ${email}`,
      ];
      if (first === "confirmation") steps.reverse();
      let second: Promise<string> | undefined;
      await sql.begin(async (tx) => {
        await steps[0](tx as unknown as typeof sql);
        second = outcome(steps[1](sql));
        await assertBlocks(there, second);
      });
      equal(await second, "ok");
      const [{ linked }] =
        await sql`select user_id = tests.id(${name}) as linked from public.podcast_guests where email = ${email}`;
      equal(linked, true);
    });
  }
});
