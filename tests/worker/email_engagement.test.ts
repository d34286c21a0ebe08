// Emails that the worker sends by a Resend peer: their links, and the peer's events about them.
import { deepStrictEqual as deepEqual, match, ok, strictEqual as equal } from "node:assert";
import { startEmailDeliveries } from "../mail/email_deliveries.ts";
import type { SentEmail } from "../mail/resend_peer.ts";

Deno.test("links of sent emails and events of the provider move deliveries and stop emails", async (t) => {
  await using there = await startEmailDeliveries();
  const { sql, peer, makeUser, notify, work, deliveryOf } = there;
  const { default: api } = await import("../../functions/api/index.ts");
  const webhook = async (event: RequestInit) => {
    const response = await api.fetch(new Request("http://x/api/notifications/webhooks/resend", event));
    equal(response.status, 200);
    return (await response.json()).data.recorded as boolean;
  };
  const follow = async ({ html }: SentEmail, kind: string, init?: RequestInit) => {
    const [link] = new RegExp(`https?://[^"\\s]+/api/notifications/email/${kind}/[\\w-]+`).exec(html)!;
    const response = await api.fetch(
      new Request(`http://x${new URL(link).pathname.replace("/functions/v1", "")}`, init),
    );
    await response.body?.cancel();
    return response;
  };
  const timesOf = async (id: string) => {
    const [{ times }] = await sql`
      select array_remove(array[case when sent_at is not null then 'sent' end,
        case when delivered_at is not null then 'delivered' end, case when opened_at is not null then 'opened' end,
        case when clicked_at is not null then 'clicked' end, case when failed_at is not null then 'failed' end], null)
        as times from public.notification_deliveries where id = ${id}`;
    return times;
  };
  /** Notifies a user about an episode and sends the email, if it may be sent. */
  const send = async (user: Awaited<ReturnType<typeof makeUser>>, type = "episode.team_added") => {
    const payload = { podcast_id: user.podcastId, episode_id: user.episodeId };
    const [id] = await notify(type, [{ user_id: user.id }], payload), before = peer.emails.length;
    await work();
    return { id, email: peer.emails.slice(before).at(0) };
  };

  await t.step("a delivery goes through every status of its email", async () => {
    const user = await makeUser(), { id, email } = await send(user);
    equal((await deliveryOf(id)).messageId, email!.id);
    equal(await webhook(peer.eventOf(email!, "email.clicked")), true);
    equal((await deliveryOf(id)).status, "clicked");
    equal(await webhook(peer.eventOf(email!, "email.delivered")), true);
    equal((await follow(email!, "open")).headers.get("content-type"), "image/gif");
    const click = await follow(email!, "click");
    equal(click.headers.get("location"), `https://app.example/podcasts/${user.podcastId}/episodes/${user.episodeId}`);
    deepEqual([(await deliveryOf(id)).status, await timesOf(id)], ["clicked", [
      "sent",
      "delivered",
      "opened",
      "clicked",
    ]]);
  });

  await t.step("a complaint stops emails that are not essential, until the service lifts it", async () => {
    const user = await makeUser(), first = await send(user);
    equal(await webhook(peer.eventOf(first.email!, "email.complained")), true);
    deepEqual([(await deliveryOf(first.id)).status, await timesOf(first.id)], ["failed", ["sent", "failed"]]);
    const second = await send(user);
    deepEqual([second.email, (await deliveryOf(second.id)).error], [undefined, "The address is suppressed"]);
    ok((await send(user, "podcast.deletion_scheduled")).email, "an essential email is sent");
    const [{ lifted }] = await sql`select private.lift_email_suppression(${user.email}) as lifted`;
    deepEqual([lifted[0].reason, lifted[0].type], ["complaint", null]);
    ok((await send(user)).email, "an email is sent again");
  });

  await t.step("a permanent bounce stores its reason in the delivery", async () => {
    const user = await makeUser(), { id, email } = await send(user);
    const bounce = { type: "Permanent", subType: "General", message: `550 <${user.email}> is unknown` };
    await webhook(peer.eventOf(email!, "email.bounced", { bounce }));
    const { status, error } = await deliveryOf(id);
    deepEqual([status, error], ["bounced", "General: 550 … is unknown"]);
  });

  await t.step(
    "an event about an email whose acceptance the worker missed is recorded with the next attempt",
    async () => {
      peer.setFault(() => "drop_after");
      const { id, email } = await send(await makeUser());
      peer.setFault(() => undefined);
      equal(await webhook(peer.eventOf(email!, "email.delivered")), false);
      equal((await deliveryOf(id)).status, "queued");
      await work();
      deepEqual([(await deliveryOf(id)).status, await timesOf(id)], ["delivered", ["sent", "delivered"]]);
    },
  );

  await t.step("one click unsubscribes from emails of the type, also from those that wait", async () => {
    const user = await makeUser(), { email } = await send(user);
    match(email!.headers!["List-Unsubscribe"], /^<https?:\/\/.*\/api\/notifications\/email\/unsubscribe\/[\w-]{43}>$/);
    equal(email!.headers!["List-Unsubscribe-Post"], "List-Unsubscribe=One-Click");
    const payload = { podcast_id: user.podcastId, episode_id: user.episodeId };
    const [waiting] = await notify("episode.team_added", [{ user_id: user.id }], payload);
    const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    equal((await follow(email!, "unsubscribe", { method: "POST", body })).status, 200);
    const sent = peer.emails.length;
    await work();
    deepEqual([peer.emails.length, (await deliveryOf(waiting)).error], [sent, "The recipient turned these emails off"]);
    deepEqual(await notify("episode.team_added", [{ user_id: user.id }], payload), []);
  });
});
