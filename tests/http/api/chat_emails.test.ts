// From a chat between the team and guests to the emails in their inboxes.
import assert from "node:assert/strict";
import { addMember, callRpc, episode, newPerson, podcast, sendRequest, sql, waitFor } from "../harness.ts";
import { byToken, emails, invite } from "./guest_email.ts";

Deno.test("people who miss a chat get one email with its messages, and those who read it get none", async () => {
  const show = await podcast("Night Trains"), pilot = await episode(show, "Paris–Wien");
  const episodeId = pilot.id;
  const [ana, ben, cat] = await Promise.all(["ana", "ben", "cat"].map(newPerson));
  for (const [user, name] of [[ana, "Ana"], [ben, "Ben"], [cat, "Cat"]] as const) {
    await addMember(show, user);
    await user.client.from("profiles").update({ display_name: name, locale: user === ben ? "de" : "en" })
      .eq("id", user.id);
  }
  const [gus, gil] = [await invite(pilot, { displayName: "Gus" }), await invite(pilot, { displayName: "Gil" })];
  for (const { token } of [gus, gil]) await byToken("/accept", token);
  const notify = (messageId: string, more: object, as?: { token: string }) =>
    sendRequest({
      method: "POST",
      path: "/api/notifications/events/chat",
      json: { episodeId, messageId, ...more },
      as,
    });

  const { data } = await ana.client.from("episode_messages")
    .insert({ episode_id: episodeId, body: "Where do we meet, @Gus?" }).select("id").single();
  await notify(data!.id, {}, ana);
  const { body } = await byToken("/messages", gus.token, { body: "On <b>platform</b> nine." });
  await notify(body.data.id, { accessToken: gus.token });

  // Cat and Gil see the chat before the emails are due
  const link = `/podcasts/${show.id}/episodes/${episodeId}`, groupKey = `episode:${episodeId}:chat`;
  assert.deepEqual(
    await callRpc(cat, "mark_notification_group_read", { group_key: groupKey, link }),
    { markedCount: 2, hasMore: false },
  );
  await sendRequest({
    method: "POST",
    path: "/api/notifications/guest-read",
    json: { episodeId, accessToken: gil.token },
  });
  await sql`update public.notification_deliveries set due_at = now()
    where status = 'pending' and collapse_key like ${groupKey + "/%"}`;
  await sql`select private.enqueue_due_deliveries()`;
  const statuses = async () =>
    (await sql`select coalesce(user_id, episode_guest_id) as id, status from public.notification_deliveries
      where collapse_key like ${groupKey + "/%"}`).map(({ id, status }) => [id, status]);
  await waitFor(
    "the emails are sent",
    async () => (await statuses()).every(([, status]) => status === "sent" || status === "canceled"),
  );
  const byRecipient = Object.fromEntries(await statuses());
  assert.deepEqual(
    [ana.id, ben.id, cat.id, gus.episodeGuestId, gil.episodeGuestId].map((id) => byRecipient[id]),
    ["sent", "sent", "canceled", "sent", "canceled"],
  );

  const [toAna, ...further] = await emails(ana.email);
  assert.deepEqual([toAna.subject, further.length], ["Gus wrote about “Paris–Wien”", 0]);
  assert.match(toAna.text, /On <b>platform<\/b> nine\./);
  assert.match(toAna.html, /On &lt;b&gt;platform&lt;\/b&gt; nine\./);
  const [toBen] = await emails(ben.email);
  assert.match(toBen.subject, /^2 neue Nachrichten/);
  assert.match(toBen.text, /Where do we meet, @Gus\?[^]*On <b>platform<\/b> nine\./);
  assert.deepEqual(await emails(cat.email), []);

  const toGus = (await emails(gus.email)).at(-1)!;
  assert.equal(toGus.subject, "Ana mentioned you in “Paris–Wien”");
  assert.match(toGus.text, /Where do we meet, @Gus\?/);
  assert.equal((await byToken("/messages/list", toGus.token)).body.data.length, 2, "the link opens the chat");
  assert.equal((await emails(gil.email)).length, 1, "the invitation alone");
});
