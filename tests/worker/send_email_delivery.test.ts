// Emails of notifications: what recipients get.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { startEmailDeliveries } from "../mail/email_deliveries.ts";
import { RESEND_KEY } from "../mail/resend_peer.ts";
import { drainIn } from "./worker.ts";

const deliveries = await startEmailDeliveries();
const { sql, peer, makeUser, notify, addToTeam, work, deliveryOf, emailOf } = deliveries;
const options = { sanitizeOps: false, sanitizeResources: false }; // the database lives as long as the file

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

Deno.test("a user gets an email with a tracked button, a pixel and one-click unsubscribing", options, async () => {
  const { user, id } = await addToTeam({ name: "Ola Ärger" });
  await work();
  const email = emailOf(id), { status, messageId, content } = await deliveryOf(id);
  assert.deepEqual({ status, messageId, content }, { status: "sent", messageId: email.id, content: null });
  assert.deepEqual(email.to, [`Ola Ärger <${user.email}>`]);
  assert.equal(email.subject, "You're on “Paris–Wien”");
  assert.match(
    email.text,
    /^You're on “Paris–Wien”\n\nSomeone on the team added you to the team of this episode of Night Trains\./,
  );

  const url = String.raw`https://api\.example/functions/v1/api/notifications/email/`;
  const [, click] = email.text.match(new RegExp(`^View episode:\n(${url}click/[\\w-]{43})$`, "m"))!;
  const [, unsubscribe] = email.text.match(
    new RegExp(`^Unsubscribe from these emails: (${url}unsubscribe/[\\w-]{43})$`, "m"),
  )!;
  const [, open] = email.html.match(new RegExp(`<img src="(${url}open/[\\w-]{43})"`))!;
  assert.ok(email.html.includes(`href="${click}"`) && email.html.includes(`href="${unsubscribe}"`));
  const { References: root, ...headers } = email.headers!;
  assert.match(root, /^<thread\.[\w-]{43}@mail\.test>$/);
  assert.deepEqual(headers, {
    "In-Reply-To": root,
    "List-Id": `Night Trains <${user.podcastId}.podcasts.mail.test>`,
    "List-Unsubscribe": `<${unsubscribe}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    "Auto-Submitted": "auto-generated",
  });
  const stored = await sql`
    select kind, encode(digest, 'hex') as digest, destination from private.email_tokens where delivery_id = ${id}
    order by kind`;
  const digest = (link: string) => sha256(link.split("/").at(-1)!);
  assert.deepEqual([...stored], [
    { kind: "open", digest: digest(open), destination: null },
    {
      kind: "click",
      digest: digest(click),
      destination: `https://app.example/podcasts/${user.podcastId}/episodes/${user.episodeId}`,
    },
    { kind: "unsubscribe", digest: digest(unsubscribe), destination: null },
  ]);
  const [{ found }] = await sql`
    select bool_or(d::text like ${`%${click.split("/").at(-1)}%`}) as found from private.delivery_sends d`;
  assert.equal(found, false, "no token is stored");
});

Deno.test("an email that is essential has no link to unsubscribe", options, async () => {
  const user = await makeUser({ locale: "de-AT" });
  const [id] = await notify("podcast.deletion_scheduled", [{ user_id: user.id }], {
    podcast_id: user.podcastId,
    deletion_scheduled_at: "2026-12-24T12:00:00Z",
  });
  await work();
  const { subject, text, html, headers } = emailOf(id);
  assert.equal(subject, "Night Trains wird gelöscht");
  assert.match(html, /<html lang="de" dir="ltr">/);
  assert.match(text, /für den 24\. Dezember 2026 vorgemerkt/);
  assert.equal(headers!["List-Unsubscribe"], undefined);
  assert.doesNotMatch(html + text, /unsubscribe/);
});

Deno.test("emails about one subject to one person are a thread, whose id names neither", options, async () => {
  const host = await makeUser({ name: "Ola" }), other = await makeUser();
  await sql`insert into public.podcast_members (podcast_id, user_id, role)
    values (${host.podcastId}, ${other.id}, 'admin')`;
  const booking = crypto.randomUUID(), payload = { podcast_id: host.podcastId, booking_id: booking };
  const params = { guest: "Zoe", start_at: "2036-01-01T10:00:00Z" };
  const send = async (type: string, recipient: object, changes: object = {}, groupKey?: string) => {
    await notify(type, [recipient], { ...payload, ...changes, params }, { group_key: groupKey });
    await work();
    const { headers } = peer.emails.at(-1)!;
    assert.equal(headers!.References, headers!["In-Reply-To"]);
    return headers!.References;
  };
  const group = `booking:${booking}`, user = { user_id: host.id };
  const root = await send("booking.requested", user, {}, group);
  assert.equal(await send("booking.cancelled", user, {}, group), root);
  assert.equal(
    await send("booking.cancelled", { email: "Zoe@guests.test" }),
    await send("booking.confirmed", {
      email: "zoe@guests.test",
    }),
  );
  const others = [
    await send("booking.requested", { user_id: other.id }, {}, group),
    await send("booking.confirmed", { email: "zoe@guests.test" }),
    await send("booking.requested", user, {}, `booking:${crypto.randomUUID()}`),
    await send("import.failed", user, { booking_id: null, import_id: crypto.randomUUID() }),
    await send("episode.team_added", user, { booking_id: null, episode_id: host.episodeId }),
    await send("podcast.paused", user, { booking_id: null }),
  ];
  assert.equal(new Set([root, ...others]).size, 7);
  assert.ok(!root.includes(booking));
});

Deno.test("each email to a guest links to the guest page with a token of its own", options, async () => {
  const host = await makeUser();
  const [{ id: guestId }] = await sql`
    with guest as (
      insert into public.podcast_guests (podcast_id, display_name, email)
      values (${host.podcastId}, 'Gus', ${`${crypto.randomUUID()}@guests.test`}) returning id)
    insert into public.episode_guests (episode_id, podcast_guest_id, status)
    select ${host.episodeId}, guest.id, 'active' from guest returning id`;
  const chat = async (text: string) => {
    const payload = {
      podcast_id: host.podcastId,
      episode_id: host.episodeId,
      actor_id: host.id,
      params: { excerpt: text },
    };
    const [id] = await notify("chat.message", [{ episode_guest_id: guestId }], payload, { group_key: text });
    await work();
    return emailOf(id);
  };
  const email = await chat("<b>Two</b>\nlines");
  assert.equal(email.subject, "Ola wrote about “Paris–Wien”");
  assert.match(email.text, /^> <b>Two<\/b>\n> lines$/m);
  assert.match(email.html, /&lt;b&gt;Two&lt;\/b&gt;\nlines/);
  const [, token] = /https:\/\/api\.example\/functions\/v1\/public\/guest#token=(\S+)/.exec(email.text)!;
  const [stored] = await sql`
    select kind, subject_id as guest, expires_at > now() + interval '89 days' as for_long from private.access_tokens
    where digest = decode(${sha256(token)}, 'hex')`;
  assert.deepEqual({ ...stored }, { kind: "guest_invitation", guest: guestId, for_long: true });
  const [{ count }] = await sql`
    select count(*)::int from private.email_tokens where delivery_id = ${email.key} and kind = 'click'`;
  assert.equal(count, 0, "the guest's link is not stored");
});

/** Sends an email of an automation that is rendered so. */
async function sendRendered(rendered: { title: string; body?: string; html?: string; content?: object }) {
  const { podcastId } = await makeUser();
  await sql.unsafe(`create or replace function private.automation_email_content(_email_id uuid, at timestamptz)
    returns jsonb language sql stable return $json$${JSON.stringify({ content: {}, ...rendered })}$json$::jsonb`);
  const [id] = await notify("automation.email", [
    { email: "zoe@guests.test", name: "Zoe", source_id: crypto.randomUUID() },
  ], { podcast_id: podcastId });
  await work();
  return emailOf(id);
}

Deno.test("an automation's email has its own subject, text and sanitized HTML", options, async () => {
  const { subject, text, html, reply_to, headers } = await sendRendered({
    title: "Your recording\r\nBcc: eve@evil.test",
    body: `Hi Zoe,\n\n${"soon ".repeat(600)}!`,
    html: `<p>Hi Zoe,</p><p><a href="javascript:x()">soon</a><img src="x" onerror="x()"></p>`,
    content: { replyTo: "host@people.test" },
  });
  assert.equal(subject, "Your recording Bcc: eve@evil.test");
  assert.equal(reply_to, "host@people.test");
  assert.ok(text.startsWith(`Hi Zoe,\n\n${"soon ".repeat(600)}!\n\n---\n`), text);
  assert.match(html, /<p [^>]*>Hi Zoe,<\/p><p [^>]*><a>soon<\/a><\/p>/);
  assert.doesNotMatch(html, /<h1|onerror|javascript/);
  assert.match(html, /<div style="display:none[^>]*>Hi Zoe, (soon ){30,40}/);
  assert.match(headers!["List-Unsubscribe"], /^<https:/);
});

Deno.test("an automation's email without a text gets one of its sanitized HTML", options, async () => {
  const { text, html } = await sendRendered({
    title: "Your recording",
    html: `<h1>Hi Zoe</h1><script>x()</script><ul><li>One</li><li><a href="https://x.test/">Two</a></li></ul>`,
  });
  assert.ok(text.startsWith("Hi Zoe\n\n * One\n * Two (https://x.test/)\n\n"), text);
  assert.match(html, /<h1>Hi Zoe<\/h1><ul><li>One<\/li>/);
  assert.match(html, /<div style="display:none[^>]*>Hi Zoe \* One \* Two/);
  assert.doesNotMatch(html + text, /script|x\(\)/);
});

Deno.test("an email to an address is in its language and time zone", options, async () => {
  const { podcastId } = await makeUser();
  const [id] = await notify("booking.confirmed", [{
    email: "uwe@guests.test",
    locale: "de-AT",
    timezone: "Europe/Vienna",
  }], {
    podcast_id: podcastId,
    start_at: "2026-06-01T10:00:00Z",
    params: { guest: "Uwe" },
  });
  await work();
  const { subject, text, html } = emailOf(id);
  assert.equal(subject, "Deine Aufnahme für Night Trains ist bestätigt");
  assert.match(html, /<html lang="de"/);
  assert.match(text, /Sie findet am 1\. Juni 2026 um 12:00 Uhr \(Europe\/Vienna\) statt\./);
  assert.match(text, /weil deine Adresse für Night Trains, einen Podcast bei Castbase, angegeben wurde/);
});

Deno.test("an email to an address has its attachments, Reply-To and link", options, async () => {
  const { podcastId } = await makeUser();
  const [id] = await notify("booking.confirmed", [{
    email: "ida@guests.test",
    name: "Ida\r\nBcc: eve@evil.test",
    locale: "en",
    timezone: "Europe/Berlin",
    reply_to: "host@people.test",
    url: "https://app.example/bookings/1#token=x",
    attachments: [{
      filename: "invite.ics",
      content_type: "text/calendar; method=REQUEST",
      content: "BEGIN:VCALENDAR",
    }],
  }], { podcast_id: podcastId, start_at: "2026-06-01T10:00:00Z" });
  await work();
  const email = emailOf(id);
  assert.deepEqual(email.to, ["Ida Bcc eve evil test <ida@guests.test>"]);
  assert.equal(email.reply_to, "host@people.test");
  assert.deepEqual(email.attachments, [{
    filename: "invite.ics",
    content: btoa("BEGIN:VCALENDAR"),
    content_type: "text/calendar; method=REQUEST",
  }]);
  assert.equal(email.subject, "Your recording for Night Trains is confirmed");
  assert.match(email.text, /on June 1, 2026 at 12:00 PM \(Europe\/Berlin\)/);
  assert.equal(email.headers?.["List-Unsubscribe"], undefined, "a person who unsubscribed would miss the booking");
});

Deno.test(
  "an email about a booking has a calendar file and a link with a token that no redirect sees",
  options,
  async () => {
    const { podcastId } = await makeUser();
    const bookingId = crypto.randomUUID();
    const [id] = await notify("booking.rescheduled", [{
      email: "ida@guests.test",
      locale: "de",
      timezone: "Europe/Berlin",
      url: "https://app.example/booking",
      access: { kind: "booking", subject_id: bookingId, expires_at: "2036-06-02T10:00:00Z" },
      calendar_event: {
        uid: `booking-${bookingId}@casts.test`,
        method: "REQUEST",
        status: "CONFIRMED",
        sequence: 2,
        start: "2026-06-01T10:00:00Z",
        end: "2026-06-01T11:00:00Z",
        summary: "Night Trains",
        organizer: { name: "Night Trains", email: "host@people.test" },
        attendee: { name: "Ida", email: "ida@guests.test" },
      },
    }], {
      podcast_id: podcastId,
      params: {
        link_name: "Recording",
        guest: "<b>Ida</b>",
        start_at: "2026-06-01T10:00:00Z",
        previous_start_at: "2026-05-31T10:00:00Z",
        message: "Sorry,\n<i>me again</i>",
      },
    });
    await work();
    const { subject, text, html, attachments } = emailOf(id);
    assert.equal(subject, "Deine Aufnahme für Night Trains ist verschoben");
    assert.match(
      text,
      /am 1\. Juni 2026 um 12:00 Uhr \(Europe\/Berlin\) statt\. Vorher war sie am 31\. Mai 2026 um 12:00/,
    );
    assert.match(text, /\n\nNachricht:\n> Sorry,\n> <i>me again<\/i>\n/);
    assert.match(html, /Nachricht:\n&gt; Sorry,\n&gt; &lt;i&gt;me again&lt;\/i&gt;/);
    const [, link, token] = text.match(/^Buchung verwalten:\n(https:\/\/app\.example\/booking#token=([\w-]{43}))$/m)!;
    assert.ok(html.includes(`href="${link}"`));
    const stored = await sql`
    select encode(digest, 'hex') as digest, kind, subject_id, expires_at from private.access_tokens
    where kind = 'booking'`;
    assert.deepEqual([...stored], [{
      digest: sha256(token),
      kind: "booking",
      subject_id: bookingId,
      expires_at: new Date("2036-06-02T10:00:00Z"),
    }]);
    const [{ found }] = await sql`select bool_or(t::text like ${`%${token}%`}) as found from private.email_tokens t`;
    assert.equal(found, false, "no click stores the token");
    assert.deepEqual(attachments?.map(({ filename, content_type }) => [filename, content_type]), [
      ["invite.ics", "text/calendar; charset=utf-8; method=REQUEST"],
    ]);
    const file = new TextDecoder().decode(Uint8Array.from(atob(attachments![0].content), (c) => c.charCodeAt(0)));
    assert.match(file, /\r\nSEQUENCE:2\r\n/);
    const [{ created_at }] = await sql`select created_at from public.notification_deliveries where id = ${id}`;
    assert.ok(file.includes(`\r\nDTSTAMP:${created_at.toISOString().replace(/[-:]|\.\d+/g, "")}\r\n`));
  },
);

Deno.test("the email to confirm an address has a button with its token and can be unsubscribed", options, async () => {
  const { id: userId, podcastId } = await makeUser({ title: "Night <Trains>" });
  const email = `vera-${crypto.randomUUID()}@outside.test`;
  const [{ address }] = await sql`
    with caller as materialized (
      select set_config('request.jwt.claims', ${
    JSON.stringify({ role: "authenticated", sub: userId })
  }, true) as claims)
    select public.request_automation_address(${podcastId}, ${email}) -> 'address' as address
    from caller where caller.claims is not null`;
  await sql`select private.enqueue_due_deliveries(now() + interval '1 hour', 10000)`;
  await work();
  const message = peer.emails.find(({ to }) => to.includes(email))!;
  assert.equal(message.subject, "Receive emails of Night <Trains>?");
  const [, link, token] = message.text
    .match(/^Confirm address:\n(https:\/\/app\.example\/automations\/confirm-address#token=([\w-]{43}))$/m)!;
  assert.ok(message.html.includes(`href="${link}"`));
  assert.match(message.html, /The team of Night &lt;Trains&gt; would like to send automatic emails/);
  assert.match(message.headers!["List-Unsubscribe"], /^<https:.*\/unsubscribe\/[\w-]{43}>$/);
  assert.equal(message.headers!["List-Unsubscribe-Post"], "List-Unsubscribe=One-Click");
  const [stored] = await sql`
    select kind, subject_id, expires_at - interval '7 days' between now() - interval '1 hour' and now() as is_a_week
    from private.access_tokens where digest = decode(${sha256(token)}, 'hex')`;
  assert.deepEqual({ ...stored }, { kind: "automation_address", subject_id: address.id, is_a_week: true });
  const [{ found }] = await sql`select bool_or(t::text like ${`%${token}%`}) as found from private.email_tokens t`;
  assert.equal(found, false, "no click stores the token");
  const [{ result }] = await sql`select public.confirm_automation_address(${token}) as result`;
  assert.equal(result.email, email);
});

Deno.test("while one API key of Resend replaces another, both are in use and no email is lost", options, async () => {
  const isolate = { ...deliveries.env, RESEND_API_KEY: "re_next" };
  async function workElsewhere() {
    await sql`update pgmq.q_email_deliveries set vt = now() - interval '1 second'`;
    await drainIn(isolate, "email_deliveries");
  }
  peer.apiKeys.add("re_next");
  const first = await addToTeam();
  await work();
  const second = await addToTeam();
  await workElsewhere();
  assert.ok(emailOf(first.id) && emailOf(second.id));

  peer.apiKeys.delete(RESEND_KEY);
  const third = await addToTeam();
  await work(); // an isolate with the old environment
  const { status, error } = await deliveryOf(third.id);
  assert.deepEqual([status, error], ["queued", "Resend responded 401 invalid_api_key: API key is invalid"]);
  await workElsewhere();
  assert.equal((await deliveryOf(third.id)).messageId, emailOf(third.id).id);
  peer.apiKeys.add(RESEND_KEY);
});

Deno.test({
  name: "the database of the tests of emails ends",
  ...options,
  fn: () => deliveries[Symbol.asyncDispose](),
});
