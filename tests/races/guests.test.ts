// Two calls that meet on a guest: on the record, on the answer, on the user who is on the way.
import { deepEqual, equal } from "node:assert/strict";
import { callStatements, type Operation } from "../../functions/database/operations.ts";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("Calls that meet on guests", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as, id } = there;
  await sql`select tests.podcast('show', 'ola'), tests.episode('pilot', 'show')`;
  const episodeId = await id("pilot");
  const invite = (email: string, to = episodeId) =>
    as("ola", "invite_guest", { episodeId: to, email, displayName: "Gina" });
  const emails = async () => (await sql`select count(*)::int as n from pgmq.q_guest_invitations`)[0].n;

  /** The guest of that address, with the access token `token`. */
  async function invited(email: string, token: string, to = episodeId) {
    equal(await invite(email, to), "ok");
    const [{ id }] = await sql`
      update private.guest_invitations i set token_hash = sha256(${token}), expires_at = 'infinity'
      from public.episode_guests e join public.podcast_guests g on g.id = e.podcast_guest_id
      where e.id = i.episode_guest_id and g.email = ${email} and e.episode_id = ${to} returning e.id`;
    return id as string;
  }
  const answer = (operation: Operation, accessToken: string, more = {}) =>
    outcome(sql.unsafe(callStatements[operation], ['{"role":"anon"}', JSON.stringify({ accessToken, ...more })]));

  await t.step("one address invited twenty times at once, in any case, is one record and one guest", async () => {
    const ended = await runConcurrently(20, (i) => invite(i % 2 ? "gina@guests.test" : "GINA@guests.test"));
    deepEqual(ended, { ok: 20 });
    const [{ records, guests }] = await sql`
      select (select count(*)::int from public.podcast_guests) as records, (select count(*)::int from public.episode_guests) as guests`;
    deepEqual([records, guests], [1, 1]);
    equal(await emails(), 3);
  });

  await t.step("invitations of one address by twenty podcasts at once queue ten emails", async () => {
    await sql`select tests.podcast('p' || n, 'owner' || n), tests.episode('e' || n, 'p' || n) from generate_series(0, 19) n`;
    const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => id(`e${n}`)));
    await sql`select tests.empty_queue('guest_invitations')`;
    const args = { email: "known@guests.test", displayName: "Known" };
    const ended = await runConcurrently(20, (n) => as(`owner${n}`, "invite_guest", { episodeId: ids[n], ...args }));
    deepEqual(ended, { ok: 20 });
    equal(await emails(), 10);
  });

  await t.step("a guest who declines while ten invitations are sent gets at most one more email", async () => {
    const guest = await invited("dee@guests.test", "declining");
    await sql`select tests.empty_queue('guest_invitations')`;
    let declining: Promise<string> | undefined, inviting: Promise<Record<string, number>> | undefined;
    await sql.begin(async (tx) => { // all wait for the guest, the answer first
      await tx`select from public.episode_guests where id = ${guest} for update`;
      declining = answer("decline_guest_invitation", "declining");
      await assertBlocks(there, declining);
      inviting = runConcurrently(10, () => invite("dee@guests.test"));
      await assertBlocks(there, declining, 10);
    });
    equal(await declining, "ok");
    deepEqual(await inviting, { ok: 10 });
    equal(await emails(), 1);
  });

  await t.step("an invitation accepted twenty times at once is told once", async () => {
    const guest = await invited("gus@guests.test", "token");
    deepEqual(await runConcurrently(20, () => answer("accept_guest_invitation", "token")), { ok: 20 });
    const told =
      await sql`select from private.events where type = 'guest.accepted' and payload ->> 'episode_guest_id' = ${guest}`;
    equal(told.length, 1);
  });

  await t.step("a guest who is being removed does not become active", async () => {
    const guest = await invited("rem@guests.test", "removed");
    let accepting: Promise<string> | undefined;
    await sql.begin(async (removing) => {
      await removing`update public.episode_guests set status = 'removed' where id = ${guest}`;
      accepting = answer("accept_guest_invitation", "removed");
      await assertBlocks(there, accepting); // the token still opened; the answer waits for the row
    });
    equal(await accepting, "PT401");
    const [{ status }] = await sql`select status from public.episode_guests where id = ${guest}`;
    equal(status, "removed");
  });

  for (
    const [verb, met] of [
      ["accept_guest_invitation", "never"],
      ["accept_guest_invitation", "just now"],
      ["decline_guest_invitation", "just now"],
      ["get_guest_episode", "never"],
      ["post_guest_message", "never"],
      ["post_guest_message", "just now"],
    ] as const
  ) {
    await t.step(
      `an episode being deleted and its guest do not wait for each other (${verb}, met ${met})`,
      async () => {
        const token = `${verb}-${met}`;
        await sql`select tests.episode(${token}, 'show')`;
        const going = await id(token), guest = await invited(`${verb}@guests.test`, token, going);
        if (met !== "never") await sql`update public.episode_guests set last_accessed_at = now() where id = ${guest}`;
        let gone: Promise<string> | undefined, answered: Promise<string> | undefined;
        await sql.begin(async (tx) => { // both stop at the episode, the deletion first, with what they hold by then
          await tx`select from public.episodes where id = ${going} for update`;
          gone = outcome(sql`delete from public.episodes where id = ${going}`);
          await assertBlocks(there, gone);
          answered = answer(verb, token, verb === "post_guest_message" ? { body: "Hello" } : {});
          await assertBlocks(there, answered, 1);
        });
        deepEqual([await gone, await answered], ["ok", "PT401"]);
      },
    );
  }

  for (const first of ["invitation", "confirmation"]) {
    await t.step(`a guest and a user who come at the same moment find each other (${first} first)`, async () => {
      const name = `met-${first}`, email = `${name}@test.example`;
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
      const [{ met }] =
        await sql`select user_id = tests.id(${name}) as met from public.podcast_guests where email = ${email}`;
      equal(met, true);
    });
  }
});
