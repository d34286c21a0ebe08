// Concurrent calls on the sessions of a podcast's links, which share its hours by their conflict scope.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { callParameters, callStatement, type Operation } from "../../functions/database/operations.ts";
import { within } from "../wait_for.ts";
import { assertBlocks, createRaceDatabase, outcome, runConcurrently } from "./race_database.ts";

Deno.test("concurrent calls on links with the scope podcast", async (t) => {
  await using there = await createRaceDatabase(40);
  const { sql, as, id } = there;
  await sql`select tests.podcast('show', 'ola')`;
  const names = ["one", "two", "three"];
  await sql`select tests.open_link(n, 'show', '{"conflict_scope": "podcast"}') from unnest(${names}::text[]) n`;
  await sql`select tests.open_link('narrow', 'show')`;
  for (const limit of ["max_bookings_per_hour", "max_unverified_bookings_per_sender"]) {
    await sql`select private.set_setting(${limit}, '1000000')`;
  }
  await sql`select private.set_plan_limit('free', 'max_new_recipients_per_day', 1000000)`;
  const links = await Promise.all(names.map(id)), narrow = await id("narrow");
  const firstHour = Math.floor(Date.now() / 3_600_000) + 1; // stays the same if another hour begins meanwhile
  const slot = (n: number) => new Date((firstHour + n) * 3_600_000).toISOString();
  const call = (operation: Operation, args: Record<string, unknown>, address = "192.0.2.1") => {
    const claims = JSON.stringify({ role: "anon", client_address: address });
    return outcome(sql.unsafe(callStatement(operation), callParameters(claims, args)));
  };
  const request = (bookingLinkId: string, n: number, guest: string) =>
    call("request_booking", {
      bookingLinkId,
      startTime: slot(n),
      guestName: "Gus",
      guestEmail: `${guest}@guests.test`,
    });
  /** A pending booking; its token is its name. */
  async function booked(name: string, link: string, n: number): Promise<string> {
    equal(await request(link, n, name), "ok");
    const [{ id }] = await sql`select id from public.bookings where guest_email = ${`${name}@guests.test`}`;
    await sql`
      insert into private.access_tokens (digest, kind, subject_id, expires_at)
      values (sha256(${name}::text::bytea), 'booking', ${id}, 'infinity')`;
    return id;
  }
  const openAt = async (n: number) => (await sql`select id from public.bookings where start_time = ${slot(n)}`).length;

  await t.step("of thirty requests for one hour through three links, one succeeds", async () => {
    deepEqual(await runConcurrently(30, (i) => request(links[i % 3], 1, `hour-${i}`)), { ok: 1, PT409: 29 });
  });

  await t.step("a request waits for one of another link that takes the hour, and fails", async () => {
    let second: Promise<string> | undefined;
    await sql.begin(async (tx) => {
      await tx.unsafe(
        callStatement("request_booking"),
        callParameters(JSON.stringify({ role: "anon", client_address: "192.0.2.2" }), {
          bookingLinkId: links[0],
          startTime: slot(2),
          guestName: "Gus",
          guestEmail: "first@guests.test",
        }),
      );
      await tx`reset role`;
      second = request(links[1], 2, "second");
      await assertBlocks(there, second);
    });
    equal(await second, "PT409");
  });

  await t.step("hosts, guests and requests that take one hour through three links leave one there", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 9; n++) ids.push(await booked(`moved-${n}`, links[n % 3], 20 + n));
    const ended = await runConcurrently(27, (i) =>
      [
        () => as("ola", "reschedule_booking", { bookingId: ids[i % 9], startTime: slot(40) }),
        () => call("reschedule_guest_booking", { accessToken: `moved-${i % 9}`, startTime: slot(40) }),
        () => request(links[i % 3], 40, `newcomer-${i}`),
      ][Math.floor(i / 9)]());
    equal(await openAt(40), 1);
    deepEqual(Object.keys(ended).filter((end) => !["ok", "PT409"].includes(end)), []);
  });

  await t.step("changes of sessions of three links, and of the links, do not deadlock", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 9; n++) ids.push(await booked(`mixed-${n}`, links[n % 3], 50 + n));
    const ended = await runConcurrently(36, (i) =>
      [
        () => as("ola", "confirm_booking", { bookingId: ids[i % 9] }),
        () => call("reschedule_guest_booking", { accessToken: `mixed-${i % 9}`, startTime: slot(70 + i) }),
        () => outcome(sql`update public.booking_links set name = ${`open ${i}`} where id = ${links[i % 3]}`),
        () => as("ola", "cancel_booking", { bookingId: ids[(i + 1) % 9] }),
        () => request(links[i % 3], 110 + i % 4, `mixing-${i}`),
        () => outcome(sql`update public.podcasts set title = ${`show ${i}`} where id = tests.id('show')`),
      ][i % 6]());
    deepEqual(Object.keys(ended).filter((end) => !["ok", "PT409", "PT429"].includes(end)), []);
  });

  await t.step("a link with the scope link takes an hour of another link, and that link not its hour", async () => {
    equal(await request(links[0], 150, "wide"), "ok");
    equal(await request(narrow, 150, "narrow"), "ok");
    equal(await request(narrow, 151, "narrow-first"), "ok");
    equal(await request(links[0], 151, "wide-second"), "PT409");
  });

  await t.step("a request for a time that is not free fails while another caller has locked the link", async () => {
    await sql.begin(async (tx) => {
      await tx`select from public.booking_links where id = ${narrow} for no key update`;
      equal(await within("a request for a taken time", request(narrow, 150, "late")), "PT409");
    });
  });
});
