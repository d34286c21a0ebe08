// The email of a notification, from its cause to the inbox: its headers, and that its links act on it.
import assert from "node:assert/strict";
import { fetchDocumented } from "../documented_responses.ts";
import { addMember, episode, newPerson, person, podcast, sendRequest, sql, waitFor } from "../harness.ts";
import { emailsTo, headersOf } from "../inbox.ts";

Deno.test("adding a member to a roster sends an email whose links open, click and unsubscribe", async () => {
  const show = await podcast("Night <Trains>"), pilot = await episode(show, "Paris–Wien");
  const [admin, mia] = [await person("admin"), await newPerson("mia")];
  await addMember(show, mia);
  await admin.client.from("profiles").update({ display_name: "Ann & Co" }).eq("id", admin.id);
  const add = async (to: { id: string }) => {
    const json = { sourceType: "team", userId: mia.id, name: "Mia" };
    const { status, text } = await sendRequest({
      method: "POST",
      path: `/api/episodes/${to.id}/people`,
      as: "admin",
      json,
    });
    assert.equal(status, 201, text);
    await sql`select private.enqueue_due_deliveries()`;
  };
  const stateOf = async () => {
    const rows = await sql<{ status: string; message_id: string }[]>`
      select d.status, s.provider_message_id as message_id from public.notification_deliveries d
      join private.delivery_sends s on s.delivery_id = d.id where d.user_id = ${mia.id}`;
    return rows[0];
  };
  await add(pilot);
  const [message] = await waitFor("the email arrives", async () => {
    const messages = await emailsTo(mia.email);
    return messages.length > 0 ? messages : undefined;
  });
  await waitFor("the email is recorded as sent", async () => (await stateOf())?.status === "sent");
  assert.equal(message.Subject, "You're on “Paris–Wien”");
  assert.ok(message.HTML.includes("Ann &amp; Co added you to the team of this episode of Night &lt;Trains&gt;."));
  assert.equal(`<${message.MessageID.replace(/[<>]/g, "")}>`, (await stateOf()).message_id);

  const linkOf = (kind: string) =>
    new RegExp(`https?://[^\\s"]+/api/notifications/email/${kind}/[\\w-]{43}`).exec(message.HTML)![0];
  const headers = await headersOf(message);
  assert.deepEqual(headers["List-Unsubscribe"], [`<${linkOf("unsubscribe")}>`]);
  assert.deepEqual(headers["List-Unsubscribe-Post"], ["List-Unsubscribe=One-Click"]);

  await (await fetchDocumented(linkOf("open"))).body?.cancel();
  assert.equal((await stateOf()).status, "opened");
  const click = await fetchDocumented(linkOf("click"), { redirect: "manual" });
  await click.body?.cancel();
  assert.equal(click.status, 302);
  assert.ok(click.headers.get("location")!.endsWith(`/podcasts/${show.id}/episodes/${pilot.id}`));
  assert.equal((await stateOf()).status, "clicked");
  const post = { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) };
  const unsubscribed = await fetchDocumented(linkOf("unsubscribe"), post);
  await unsubscribed.body?.cancel();
  assert.equal(unsubscribed.status, 200);
  await add(await episode(show, "Another"));
  const [{ count }] = await sql`
    select count(*)::int from public.notification_deliveries where user_id = ${mia.id} and channel = 'email'`;
  assert.equal(count, 1, "a user who unsubscribed gets no further email of this type");
});

Deno.test("a guest whose account is German gets the invitation in German", async () => {
  const gus = await newPerson("gus");
  await gus.client.from("profiles").update({ locale: "de-AT" }).eq("id", gus.id);
  const json = {
    episodeId: (await episode(await podcast("Nachtzüge"), "Paris–Wien")).id,
    email: gus.email,
    displayName: "Gus",
  };
  const { status, text } = await sendRequest({ method: "POST", path: "/api/guests", as: "admin", json });
  assert.equal(status, 201, text);
  await sql`select private.enqueue_due_deliveries()`; // before cron does
  const [message] = await waitFor("the invitation arrives", async () => {
    const messages = await emailsTo(gus.email);
    return messages.length > 0 ? messages : undefined;
  });
  assert.equal(message.Subject, "Einladung als Gast von Nachtzüge");
  assert.match(message.HTML, /<html lang="de" dir="ltr">/);
  assert.match(message.Text, /lädt dich als Gast zu „Paris–Wien“ ein/);
});
