// The job calendar_sync at both providers: expired tokens, rejections, lost responses, and requests that arrive late.
import assert from "node:assert/strict";
import { assertDelay, waitFor } from "../../wait_for.ts";
import { LATER, startCalendarWorker } from "./calendar_worker.ts";
import { type Fault, RETRY_AFTER_SECONDS } from "../providers/provider_peer.ts";

Deno.test({ name: "events despite faults", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await using worker = await startCalendarWorker();
  const { sql, peers, events, work, book, reschedule, cancel, shown, waiting, deadLetters, passTime, settle, times } =
    worker;

  for (const provider of ["google", "microsoft"] as const) {
    const { name, peer, state, step, failOnce } = worker.stepsOf(t, provider);

    await step("a creation whose response was lost is found", async (host) => {
      failOnce("lost_after", "POST");
      const id = await book(host), began = Date.now();
      await work();
      assert.equal(shown(host).length, 1);
      const [{ seconds, error }] = await waiting();
      assert.equal(error, `${name} could not be reached`);
      if (provider === "microsoft") assertDelay(seconds, 60, began); // then the creation can no longer arrive
      await sql`update public.bookings set start_time = ${LATER}, end_time = ${"2041-05-05T10:00:00Z"} where id = ${id}`;
      await settle();
      assert.deepEqual(times(host), [LATER]);
    });

    await step("a creation whose response was lost is removed if the booking is cancelled meanwhile", async (host) => {
      failOnce("lost_after", "POST");
      const id = await book(host);
      await work();
      await cancel(id);
      await settle();
      assert.deepEqual([shown(host), await deadLetters()], [[], []]);
      assert.equal((await sql`select from private.calendar_events where booking_id = ${id}`).length, 0);
    });

    await step("changes and removals whose response was lost are repeated without harm", async (host) => {
      const id = await book(host);
      await work();
      failOnce("lost_after", "PATCH");
      await reschedule(id, LATER);
      await work();
      assert.notDeepEqual(await waiting(), []);
      await settle();
      assert.deepEqual(times(host), [LATER]);
      failOnce("lost_after", "DELETE");
      await cancel(id);
      await work();
      await settle();
      assert.deepEqual(shown(host), []);
    });

    await step("a change that arrives late does not replace a newer one", async (host) => {
      const id = await book(host), gate = Promise.withResolvers<void>(), arrived = Promise.withResolvers<void>();
      await work();
      state.beforeWrite = ({ method, text }) => {
        if (method !== "PATCH" || !text.includes("2039")) return;
        arrived.resolve();
        return gate.promise;
      };
      await reschedule(id, "2039-01-01T00:00:00Z");
      const late = work();
      await arrived.promise;
      await reschedule(id, LATER);
      await settle(); // another worker, after the lease
      assert.deepEqual(times(host), [LATER]);
      gate.resolve();
      await late;
      await settle();
      assert.deepEqual(times(host), [LATER]);
    });

    await step("a creation that arrives late, just before it is repeated, shows the last state", async (host) => {
      const id = await book(host), gate = Promise.withResolvers<void>(), arrived = Promise.withResolvers<void>();
      let creations = 0;
      state.beforeWrite = async ({ method }) => {
        if (method !== "POST") return;
        if (++creations === 1) {
          arrived.resolve();
          return await gate.promise;
        }
        gate.resolve();
        await waitFor("the late creation", () => shown(host).length > 0);
      };
      const late = work();
      await arrived.promise;
      await reschedule(id, LATER);
      await passTime();
      await worker.syncEvent(id);
      assert.deepEqual(times(host), [LATER]);
      await late;
      await settle();
      assert.deepEqual(times(host), [LATER]);
    });

    await step("a removal that arrives late leaves an event that was moved back", async (host) => {
      await book(host);
      await work();
      const gate = Promise.withResolvers<void>(), arrived = Promise.withResolvers<void>();
      let isFirst = true;
      state.beforeWrite = ({ method }) => {
        if (method !== "DELETE" || !isFirst) return;
        isFirst = false;
        arrived.resolve();
        return gate.promise;
      };
      const other = await worker.makeUser("Eve");
      const setOwner = (owner: string) =>
        sql`update public.podcasts set owner_id = ${owner} where id = ${host.podcastId}`;
      await sql`insert into public.podcast_members (podcast_id, user_id) values (${host.podcastId}, ${other.id})`;
      await setOwner(other.id);
      await sql`delete from public.podcast_members where user_id = ${host.userId}`;
      const late = work();
      await arrived.promise;
      await settle();
      assert.deepEqual(shown(host), []);
      await sql`insert into public.podcast_members (podcast_id, user_id, role)
        values (${host.podcastId}, ${host.userId}, 'admin')`;
      await settle();
      assert.equal(shown(host).length, 1);
      gate.resolve();
      await late;
      await settle();
      assert.equal(shown(host).length, 1);
    });

    await step("an expired token is renewed", async (host) => {
      await book(host);
      peer.expireTokens();
      await work();
      assert.equal(shown(host).length, 1);
      assert.deepEqual(await waiting(), []);
    });

    await step("a revoked connection waits for its user, without retries", async (host) => {
      const [changed, cancelled] = [await book(host), await book(host)];
      await work();
      peer.revokeAccount(host.address);
      await reschedule(changed, LATER);
      await cancel(cancelled);
      await work();
      assert.deepEqual([await waiting(), await deadLetters()], [[], []]);
      const [connection] = await sql`select status, last_error as error from public.calendar_connections
        where id = ${host.connectionId}`;
      assert.deepEqual({ ...connection }, {
        status: "revoked",
        error: `${name} no longer grants access; connect the account again`,
      });
      assert.equal(shown(host).length, 2);
      await worker.renew(host);
      await work();
      assert.deepEqual(times(host), [LATER]);
    });

    for (const [fault, reason] of [["forbidden", "denies access to"], ["not_found", "does not know"]] as const) {
      await step(`after ${fault}, another host's calendar takes the event`, async (host) => {
        peer.setFault(({ method, path }) => path.includes("/events") && method !== "GET" ? fault : undefined);
        if (fault === "not_found") host.account.calendars.delete(host.address);
        await book(host);
        await work();
        const [calendar] = await sql`select receives_events, events_error
          from public.connected_calendars where id = ${host.calendarId}`;
        assert.equal(calendar.receives_events, false);
        assert.match(calendar.events_error, new RegExp(`^${name} ${reason} the calendar`));
        assert.deepEqual([await waiting(), await deadLetters()], [[], []]);
        peer.setFault(() => undefined);
        const admin = await worker.makeUser("Ana");
        await sql`insert into public.podcast_members (podcast_id, user_id, role)
          values (${host.podcastId}, ${admin.id}, 'admin')`;
        const other = await worker.connect(admin.id, provider);
        await work();
        assert.equal(shown(other).length, 1);
      });
    }

    const retried: [Fault, RegExp, ("GET" | "POST")?][] = [
      ["rate_limited", /limits the number of requests/],
      ["server_error", /is unavailable \(status 500\)/],
      ["truncated", /could not be reached/],
      ["malformed", /sent a response that cannot be read/, "POST"],
      ["wrong_shape", /sent a response that cannot be read/, "POST"],
      ["huge", /is too large/, "GET"],
    ];
    if (provider === "google") retried.push(["rate_limited_403", /limits the number of requests/]);
    for (const [fault, reason, method = "POST"] of retried) {
      await step(`after ${fault}, the worker retries`, async (host) => {
        failOnce(fault, method);
        await book(host);
        const began = Date.now();
        await work();
        const [{ error, seconds }] = await waiting();
        assert.match(error!, reason);
        if (fault === "server_error" && provider === "microsoft") assertDelay(seconds, 60, began); // it may still arrive
        if (fault === "rate_limited") assertDelay(seconds, RETRY_AFTER_SECONDS, began);
        await settle();
        assert.equal(shown(host).length, 1);
      });
    }

    await step("a request that the provider rejects becomes a dead letter with its reason", async (host) => {
      failOnce("bad_request", "POST");
      await book(host);
      await work();
      assert.deepEqual(await deadLetters(), [`${name} responded with the unexpected status 400`]);
    });
  }

  await t.step("Google: a creation that arrives after the booking was cancelled fails", async () => {
    const host = await worker.makeHost("google"), { state } = events.google;
    const id = await book(host), gate = Promise.withResolvers<void>(), arrived = Promise.withResolvers<void>();
    let isFirst = true;
    state.beforeWrite = ({ method }) => {
      if (method !== "POST" || !isFirst) return;
      isFirst = false;
      arrived.resolve();
      return gate.promise;
    };
    const late = work();
    await arrived.promise;
    await cancel(id);
    await passTime();
    await worker.syncEvent(id);
    assert.deepEqual(shown(host), []);
    gate.resolve();
    await late;
    await passTime();
    await work();
    state.beforeWrite = () => {};
    assert.deepEqual([shown(host), await waiting()], [[], []]);
  });

  await t.step("Google: an id that is used and cannot be read is replaced", async () => {
    const host = await worker.makeHost("google"), { google } = peers;
    const id = await book(host), first = BigInt(`0x${id.replaceAll("-", "")}`).toString(32).padStart(26, "0");
    google.setFault(({ method, path, text }) => {
      if (method === "GET" && path.endsWith(`/events/${first}`)) return "not_found";
      return method === "POST" && text.includes(first) ? "conflict" : undefined;
    });
    await work();
    google.setFault(() => undefined);
    assert.equal(shown(host).length, 1);
    await reschedule(id, LATER);
    await work();
    assert.deepEqual([shown(host).length, await waiting()], [1, []]);
  });

  await t.step("Microsoft: an event is found by its booking after empty pages, and by a repeated key", async () => {
    const { state } = events.microsoft;
    for (const duplicateStatus of [201, 409] as const) {
      Object.assign(state, { duplicateStatus, hasEmptyPages: true });
      const host = await worker.makeHost("microsoft"), id = await book(host);
      await work();
      await sql`update private.calendar_events set external_id = null, written = null where booking_id = ${id}`;
      await reschedule(id, LATER);
      await work();
      assert.deepEqual(shown(host).map(({ start }) => start), [LATER]);
    }
    Object.assign(state, { duplicateStatus: 201, hasEmptyPages: false });
  });

  await t.step("Microsoft: an event with megabytes in its body is updated", async () => {
    const host = await worker.makeHost("microsoft"), id = await book(host);
    await work();
    events.microsoft.edit(host.account, (event) => event.body.content = "x".repeat(3 * 1024 * 1024));
    await reschedule(id, LATER);
    await work();
    assert.deepEqual([times(host), await waiting()], [[LATER], []]);
  });
});
