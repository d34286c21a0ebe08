// What an email shows that lists several notifications: messages of a chat, or a digest of several podcasts.
import assert from "node:assert/strict";
import type { NotificationContent } from "../../functions/mail/notification_email.ts";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

const { renderNotification } = await withEnvironment(
  UNREACHABLE_ENV,
  () => import("../../functions/mail/notification_email.ts"),
);

async function render(items: NotificationContent["items"], more: Partial<NotificationContent> = {}) {
  const { email } = await renderNotification({
    to: { name: "Ana", address: "ana@casts.test" },
    language: "en",
    subject: "3 new notifications",
    items,
    details: null,
    action: "Open inbox",
    url: null,
    hasAccess: false,
    reason: "You get this email as a digest.",
    unsubscribe: null,
    tokenUrl: "https://casts.test/api/notifications/email",
    replyTo: null,
    attachments: [],
    calendarEvent: null,
    topic: { type: "inbox.digest", podcastId: null, podcast: null, thread: null },
    ...more,
  }, crypto.randomUUID());
  return email;
}

Deno.test("a digest shows what is new by podcast, in text and in HTML", async () => {
  const { text, html } = await render([
    { heading: "Night <Trains>", title: "Bo has joined", body: null, isQuoted: false },
    { title: "Pilot was published", body: "Listen to it", isQuoted: false },
    { heading: "Slow News", title: "Cy has left", body: null, isQuoted: false },
  ]);
  assert.equal(
    text,
    "3 new notifications\n\n# Night <Trains>\n\nBo has joined\n\nPilot was published\n\nListen to it\n\n" +
      "# Slow News\n\nCy has left\n\n---\n\nYou get this email as a digest.\n",
  );
  assert.deepEqual(
    [...html.matchAll(/<(h1|h2|p) [^>]*>(.*?)<\/\1>/g)].map(([, tag, content]) => `${tag} ${content}`).slice(0, 7),
    [
      "h1 3 new notifications",
      "h2 Night &lt;Trains&gt;",
      "p Bo has joined",
      "p Pilot was published",
      "p Listen to it",
      "h2 Slow News",
      "p Cy has left",
    ],
  );
});

Deno.test("a digest of one item says of which podcast", async () => {
  const { text } = await render([{ heading: "Slow News", title: "Cy has left", body: null, isQuoted: false }]);
  assert.equal(text.split("\n---\n")[0], "3 new notifications\n\n# Slow News\n\nCy has left\n");
});

Deno.test("an email that lists messages quotes each below who wrote it", async () => {
  const { text } = await render([
    { title: "Bo", body: "One", isQuoted: true },
    { title: "Cy", body: "Two", isQuoted: true },
  ]);
  assert.equal(text.split("\n---\n")[0], "3 new notifications\n\nBo\n\n> One\n\nCy\n\n> Two\n");
});

Deno.test("an email about one notification has its title as heading", async () => {
  const { text } = await render([{ title: "Cy has left", body: null, isQuoted: false }]);
  assert.equal(text.split("\n---\n")[0], "Cy has left\n");
});

Deno.test("an email shows its details below the item, as text", async () => {
  const { text, html, replyTo } = await render([{ title: "Booking request", body: "Gus asks.", isQuoted: false }], {
    details: "Guest: <b>Gus</b> (gus@guests.test)\n\nNotes:\n> Hi",
    replyTo: "gus@guests.test",
  });
  assert.equal(
    text.split("\n---\n")[0],
    "Booking request\n\nGus asks.\n\nGuest: <b>Gus</b> (gus@guests.test)\n\nNotes:\n> Hi\n",
  );
  assert.ok(html.includes("Guest: &lt;b&gt;Gus&lt;/b&gt; (gus@guests.test)"));
  assert.equal(replyTo, "gus@guests.test");
});
