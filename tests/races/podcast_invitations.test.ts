// Concurrent calls on an invitation to a team.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("concurrent calls on invitations", async (t) => {
  await using there = await createRaceDatabase();
  const { sql, as, id } = there;
  await sql`select tests.podcast('show', 'ola'), tests.member('ana', 'show', 'admin')`;
  const podcastId = await id("show");
  const members = async () =>
    (await sql`select i.name, m.role from public.podcast_members m join tests.ids i on i.id = m.user_id
      where m.podcast_id = ${podcastId} and i.name not in ('ola', 'ana') order by i.name`).map((m) =>
      `${m.name} ${m.role}`
    );
  /** A person with an open invitation, and its id. */
  async function invited(name: string, inviter = "ana") {
    await sql`select tests.person(${name}) where not tests.exists(${name})`;
    return {
      invitationId: (await sql`select tests.invitation('show', ${`${name}@test.example`}, ${inviter}) as id`)[0].id,
    };
  }

  await t.step(
    "two admins who invite one address ten times each at once make one invitation and one email",
    async () => {
      const email = "eve@test.example";
      const ended = await runConcurrently(
        20,
        (i) => as(i % 2 ? "ola" : "ana", "invite_podcast_member", { podcastId, email }),
      );
      deepEqual(ended, { ok: 1, PT409: 19 });
      const [{ rows, emails }] = await sql`
      select (select count(*)::int from public.podcast_invitations) as rows,
        (select count(*)::int from private.delivery_addresses) as emails`;
      deepEqual([rows, emails], [1, 1]);
    },
  );

  await t.step("ten concurrent acceptances of an invitation make one member", async () => {
    const invitation = await invited("ben");
    deepEqual(await runConcurrently(10, () => as("ben", "accept_podcast_invitation", invitation)), { ok: 1, PT409: 9 });
    deepEqual(await members(), ["ben member"]);
  });

  for (const first of ["accept", "withdraw"]) {
    await t.step(`the first of an acceptance and a concurrent withdrawal wins (${first} first)`, async () => {
      const name = `met-${first}`, invitation = await invited(name);
      const calls = {
        accept: () => as(name, "accept_podcast_invitation", invitation),
        withdraw: () => as("ola", "withdraw_podcast_invitation", invitation),
      };
      const order = first === "accept" ? [calls.accept, calls.withdraw] : [calls.withdraw, calls.accept];
      const ended: Promise<string>[] = [];
      await sql.begin(async (tx) => { // both wait for the podcast, in this order
        await tx`select from public.podcasts where id = ${podcastId} for update`;
        for (const [n, call] of order.entries()) await assertBlocks(there, ended[n] = call(), n);
      });
      deepEqual(await Promise.all(ended), ["ok", "PT409"]);
      equal((await members()).includes(`${name} member`), first === "accept");
    });
  }

  await t.step("an invitation concurrent with its inviter's demotion is withdrawn or rejected", async () => {
    for (const first of ["invite", "demote"]) {
      await sql`update public.podcast_members set role = 'admin' where user_id = tests.id('ana')`;
      const email = `${first}@test.example`;
      if (first === "demote") {
        let inviting: Promise<string> | undefined;
        await sql.begin(async (tx) => {
          await tx`update public.podcast_members set role = 'member' where user_id = tests.id('ana')`;
          inviting = as("ana", "invite_podcast_member", { podcastId, email });
          await assertBlocks(there, inviting);
        });
        equal(await inviting, "PT403");
      } else {
        const ended = await Promise.all([
          as("ana", "invite_podcast_member", { podcastId, email }),
          outcome(sql`update public.podcast_members set role = 'member' where user_id = tests.id('ana')`),
        ]);
        equal(ended[1], "ok");
      }
      const [{ open }] = await sql`
        select count(*)::int as open from public.podcast_invitations where email = ${email} and status = 'pending'`;
      equal(open, 0);
    }
  });

  await t.step(
    "a late event of an earlier email does not overwrite the state of one that is being written",
    async () => {
      const { invitationId } = await invited("late", "ola");
      await sql`select tests.send_emails()`;
      const [{ delivery }] = await sql`select delivery_id as delivery from private.delivery_addresses
      where subject ->> 'id' = ${invitationId}`;
      let event: Promise<string> | undefined;
      await sql.begin(async (tx) => {
        await tx`select set_config('request.jwt.claims', jsonb_build_object('sub', tests.id('ola'))::text, true),
        private.resend_podcast_invitation(${invitationId})`;
        event = outcome(sql`select private.advance_delivery(${delivery}, 'bounced')`);
        await assertBlocks(there, event);
      });
      equal(await event, "ok");
      const [{ status }] = await sql`
      select email_status as status from public.podcast_invitations where id = ${invitationId}`;
      equal(status, "queued");
    },
  );

  await t.step("due emails are queued while others lock the records that they are about", async () => {
    const { invitationId } = await invited("locked", "ola");
    await sql.begin(async (tx) => {
      await tx`select from public.podcast_invitations where id = ${invitationId} for update`;
      await sql`select private.enqueue_due_deliveries()`;
    });
    const [{ status }] = await sql`
      select d.status from private.delivery_addresses a join public.notification_deliveries d on d.id = a.delivery_id
      where a.subject ->> 'id' = ${invitationId}`;
    equal(status, "queued");
  });

  await t.step(
    "of thirty podcasts that invite one address at once, twenty email it today and ten tomorrow",
    async () => {
      await sql`select tests.podcast('p' || n, 'owner' || n) from generate_series(0, 29) n`;
      const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => id(`p${n}`)));
      const ended = await runConcurrently(
        30,
        (n) => as(`owner${n}`, "invite_podcast_member", { podcastId: ids[n], email: "known@test.example" }),
      );
      deepEqual(ended, { ok: 30 });
      const states = await sql`
      select email_status as status, count(*)::int as n from public.podcast_invitations
      where email = 'known@test.example' group by 1 order by 1`;
      deepEqual([...states], [{ status: "waiting", n: 10 }, { status: "queued", n: 20 }]);
    },
  );
});
