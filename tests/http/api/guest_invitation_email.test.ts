// The invitation email: its text, its access token, and that the token is stored nowhere.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { episode, newPerson, podcast, sql, stackInfo } from "../harness.ts";
import { byToken, invite } from "./guest_email.ts";

const DAY = 86_400_000;

Deno.test("POST /api/guests sends an email with the invitation and a link that contains the token", async () => {
  const show = await podcast("Night Trains");
  const { email, sentEmail, episodeGuestId } = await invite(await episode(show, "Paris–Wien"), {
    displayName: "Gus Ärger",
    message: "Do come.\nWe have cake.",
  });
  assert.deepEqual(sentEmail.to, [{ Name: "Gus Ärger", Address: email }]);
  assert.deepEqual(sentEmail.from, { Name: "Castbase", Address: "noreply@castbase.local" });
  assert.equal(sentEmail.subject, "Guest invitation from Night Trains");
  const [{ day }] = await sql`
    select expires_at as day from private.access_tokens where subject_id = ${episodeGuestId}`;
  assert.ok(Math.abs(day - Date.now() - 90 * DAY) < DAY, "the token is valid for 90 days");
  for (const part of [sentEmail.text, sentEmail.html]) {
    for (const text of ["Paris–Wien", "Night Trains"]) {
      assert.ok(part.includes(text), `${text}: ${part}`);
    }
    assert.ok(part.includes(`${stackInfo.functionsUrl}/public/guest#token=${sentEmail.token}`), part);
    assert.ok(part.includes(day.toLocaleDateString("en", { dateStyle: "long", timeZone: "UTC" })), part);
  }
  assert.match(sentEmail.text, /^> Do come\.\r?\n> We have cake\.$/m);
  assert.match(sentEmail.html, /&gt; Do come\.\r?\n&gt; We have cake\./);
});

Deno.test("the invitation email names the inviting admin, or the team if the admin has no name", async () => {
  const host = await newPerson("host");
  const pilot = await episode(await podcast("Named", host.email.split("@")[0]));
  assert.match((await invite(pilot, {}, host)).text, /^Someone on the team has invited you to be a guest/m);
  await host.client.from("profiles").update({ display_name: "Ada Host" }).eq("id", host.id);
  assert.match(
    (await invite(pilot, {}, host)).text,
    /^Ada Host has invited you to be a guest on “Pilot”, an episode of Named\./m,
  );
});

Deno.test("the invitation email escapes user text in its HTML and headers", async () => {
  const show = await podcast(`<i>"Show"</i> & Co`);
  const pilot = await episode(show, "Pilot\r\nBcc: victim@guests.test");
  const { sentEmail, email } = await invite(pilot, {
    displayName: `<b>Gus</b>\r\nCc: victim@guests.test`,
    message: `<script>alert(1)</script> <a href="https://evil.test">here</a>`,
  });
  assert.equal(sentEmail.subject, `Guest invitation from <i>"Show"</i> & Co`);
  assert.deepEqual(sentEmail.to, [{ Name: "<b>Gus</b> Cc:", Address: email }]);
  assert.deepEqual(sentEmail.others, []);
  assert.doesNotMatch(sentEmail.html, /<script|<b>Gus|<i>"|evil\.test">/);
  assert.match(sentEmail.html, /&lt;script&gt;alert\(1\)/);
  assert.match(sentEmail.text, /<script>alert\(1\)<\/script>/);
  assert.doesNotMatch(
    sentEmail.text + sentEmail.html,
    /victim@|evil\.test|https:\/\/evil/,
    "no email program links a stranger's text",
  );
});

Deno.test("the invitation email has no links of a stranger's names and titles", async () => {
  const host = await newPerson("phisher");
  await host.client.from("profiles").update({ display_name: "PayPal Security https://evil.test/login" }).eq(
    "id",
    host.id,
  );
  const pilot = await episode(await podcast("Verify at www.evil.test now", host.email.split("@")[0]), "evil.test/x");
  const { sentEmail } = await invite(pilot, { displayName: "You https://evil.test" }, host);
  assert.equal(sentEmail.subject, "Guest invitation from Verify at now");
  assert.match(sentEmail.text, /^PayPal Security has invited you to be a guest on “…”, an episode of Verify at now\./m);
  assert.doesNotMatch(JSON.stringify(sentEmail), /evil/);
});

Deno.test("the access token has 256 bits, and database and queue store only its digest and the guest's id", async () => {
  const { token, episodeGuestId } = await invite(await episode(await podcast("Secrets")));
  assert.match(token, /^[A-Za-z0-9_-]{43}$/);
  const [kept] = await sql`
    select encode(digest, 'hex') as hash, expires_at > now() + interval '89 days' as for_long
    from private.access_tokens where subject_id = ${episodeGuestId}`;
  const hash = createHash("sha256").update(token).digest("hex");
  assert.deepEqual({ ...kept }, { hash, for_long: true });
  const [{ found }] = await sql`
    select exists (select from private.guest_invitations i where i::text like ${`%${token}%`})
      or exists (select from public.episode_guests g where g::text like ${`%${token}%`})
      or exists (select from private.delivery_addresses a where a::text like ${`%${token}%`})
      or exists (select from private.delivery_sends s where s::text like ${`%${token}%`})
      or exists (select from private.events v where v.payload::text like ${`%${token}%`}) as found`;
  assert.equal(found, false);
});

Deno.test("inviting a guest again emails another token, and the one before stays valid", async () => {
  const pilot = await episode(await podcast("Twice"));
  const first = await invite(pilot);
  assert.equal((await byToken("/episode", first.token)).status, 200);
  const second = await invite(pilot, { email: first.email, message: "Did you get it?" });
  assert.equal(second.episodeGuestId, first.episodeGuestId);
  assert.notEqual(second.token, first.token);
  assert.match(second.text, /Did you get it\?/);
  assert.equal((await byToken("/episode", first.token)).status, 200);
  assert.equal((await byToken("/accept", second.token)).body.data.episodeGuest.status, "active");
});
