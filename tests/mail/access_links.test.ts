// Links in the text of an email that open a record to its recipient.
import assert from "node:assert/strict";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

const { renderNotification } = await withEnvironment(
  { ...UNREACHABLE_ENV, WORKER_SECRET: "s".repeat(32) },
  () => import("../../functions/mail/notification_email.ts"),
);
const { deriveToken, digestOf } = await import("../../functions/mail/email_tokens.ts");

const deliveryId = "6f0b7c57-6f7e-4a1f-9d5e-0d3b4d1f6a11", link = "https://casts.test/booking#token=the-place";

const render = (accessFragment: string | null, text = `Manage: ${link}`) =>
  renderNotification({
    to: { name: "Gus", address: "gus@guests.test" },
    language: "en",
    subject: "See you",
    items: [{
      title: "See you",
      body: text,
      html: `<p><a href="${link}">Manage</a></p>`,
      isQuoted: false,
    }],
    details: null,
    action: "Listen",
    url: "https://casts.test/listen/show",
    hasAccess: false,
    reason: "You booked.",
    unsubscribe: "Unsubscribe",
    tokenUrl: "https://casts.test/api/notifications/email",
    replyTo: null,
    fromName: "Night Trains",
    accessFragment,
    attachments: [],
    calendarEvent: null,
    topic: { type: "automation.email", podcastId: null, podcast: null, thread: null },
  }, deliveryId);

Deno.test("an email has the access token in the links of its text and HTML, and its button has none", async () => {
  const { email, tokens } = await render("#token=the-place"), token = deriveToken("access", deliveryId);
  const written = `https://casts.test/booking#token=${token}`;
  assert.ok(email.text.startsWith(`Manage: ${written}\n`), email.text);
  assert.ok(email.html.includes(`<a href="${written}"`), email.html);
  assert.doesNotMatch(email.text + email.html, /the-place/);
  assert.match(email.text, /Listen:\nhttps:\/\/casts\.test\/api\/notifications\/email\/click\//);
  assert.deepEqual(tokens.filter(({ kind }) => kind === "access"), [
    { kind: "access", digest: digestOf(token), destination: undefined },
  ]);
  assert.equal(email.fromName, "Night Trains");
});

Deno.test("an email without a place for it has no access token", async () => {
  const { email, tokens } = await render(null);
  assert.ok(email.text.includes("the-place"));
  assert.deepEqual(tokens.filter(({ kind }) => kind === "access"), []);
});

Deno.test("an email has the access token in the fragments of links alone, which no server sees", async () => {
  const text = "https://spy.test/?t=the-place https://spy.test/%23token%3Dthe-place";
  const { email } = await render("#token=the-place", text);
  assert.ok(email.text.startsWith(`${text}\n`), email.text);
});
