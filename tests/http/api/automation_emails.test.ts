// The email of an automation, from the publication of an episode to the inbox, and its links.
import assert from "node:assert/strict";
import { fetchDocumented } from "../documented_responses.ts";
import { addMember, newPerson, person, podcast, sendRequest, sql, waitFor } from "../harness.ts";
import { emailsTo, headersOf, parsedEmail } from "../inbox.ts";
import { emailTo, newRule, newTemplate, publishNew, send } from "./automations.ts";
import { booked, openLink, post } from "./bookings.ts";

/** The email with this subject, once it arrived. */
async function arrival(address: string, subject: string) {
  return await waitFor("the email arrives", async () => {
    await sql`select private.enqueue_due_deliveries()`; // once the execution ran
    return (await emailsTo(address)).find(({ Subject }) => Subject === subject);
  });
}

Deno.test("publishing an episode emails the team by a rule, and a member who unsubscribes gets no further email", async () => {
  const olga = await newPerson("olga"), show = await podcast("Night <Trains>");
  await addMember(show, olga);
  const template = await newTemplate(show, {
    subject: "{episode_title} is out",
    body_html: `<p>Listen to <b>{episode_title}</b> of {podcast_title}</p><script>alert(1)</script>`,
  });
  const rule = await newRule(show, { actions: [emailTo("team", template)] });
  const title = `Paris & ${crypto.randomUUID()}`, pilot = await publishNew(show, title);
  const message = await arrival(olga.email, `${title} is out`);
  assert.match(message.Text, new RegExp(`^Listen to ${title} of Night <Trains>\\s`));
  assert.ok(message.HTML.includes(`Listen to <b>${title.replace("&", "&amp;")}</b> of Night &lt;Trains&gt;`));
  assert.doesNotMatch(message.HTML, /<script|alert/);

  const linkOf = (kind: string) =>
    new RegExp(`https?://[^\\s"]+/api/notifications/email/${kind}/[\\w-]{43}`).exec(message.HTML)![0];
  const click = await fetchDocumented(linkOf("click"), { redirect: "manual" });
  await click.body?.cancel();
  assert.equal(click.status, 302);
  assert.ok(click.headers.get("location")!.endsWith(`/listen/${show.slug}/${pilot.slug}`));
  const headers = await headersOf(message);
  assert.deepEqual(headers["List-Unsubscribe"], [`<${linkOf("unsubscribe")}>`]);
  const post = { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) };
  const unsubscribed = await fetchDocumented(linkOf("unsubscribe"), post);
  assert.equal(unsubscribed.status, 200, await unsubscribed.text());
  const [{ reasons }] = await sql`
    select array_agg(concat_ws(' ', s.type, s.reason, s.podcast_id)) as reasons from private.email_suppressions s
    where s.digest = private.email_digest(${olga.email})`;
  assert.deepEqual(reasons, [`automation.email unsubscribed ${show.id}`]);

  const second = `Vienna ${crypto.randomUUID()}`;
  await publishNew(show, second);
  await arrival("admin@people.test", `${second} is out`); // the others still get it
  const [execution] = await waitFor("the execution ends", async () => {
    const { body } = await send("GET", `/executions?podcast_id=${show.id}&rule_id=${rule.id}&status=completed`);
    return body.total === 2 && body.executions;
  });
  assert.equal(execution.action_results[0].result.recipient_count, 3, "without who unsubscribed");
  const sent = await sql`
    select d.status from private.delivery_addresses a
    join public.notification_deliveries d on d.id = a.delivery_id
    where a.email = ${olga.email} and a.title = ${`${second} is out`}`;
  assert.deepEqual(sent.filter(({ status }) => ["sent", "queued", "pending"].includes(status)), []);
  assert.equal((await emailsTo(olga.email)).filter(({ Subject }) => Subject === `${second} is out`).length, 0);
});

Deno.test("the unsubscribe page of an automation's email names automatic emails", async () => {
  const vera = await newPerson("vera"), show = await podcast("Pages");
  await addMember(show, vera);
  const template = await newTemplate(show, { subject: "Out: {episode_title}", body_text: "Listen", body_html: "" });
  await newRule(show, { actions: [emailTo(vera.email, template)] });
  const title = `Pilot ${crypto.randomUUID()}`;
  await publishNew(show, title);
  const message = await arrival(vera.email, `Out: ${title}`);
  assert.match(message.Text, /^Out: Pilot \S+\s+Listen\s/);
  const [, token] = /\/api\/notifications\/email\/unsubscribe\/([\w-]{43})/.exec(message.Text)!;
  const page = await sendRequest({ method: "POST", path: `/api/notifications/email/unsubscribe/${token}` });
  assert.equal(page.status, 200, page.text);
  assert.match(page.text, /Pages no longer sends you these emails: automatic emails\./);
});

Deno.test("the email of a booking's guest comes from the podcast, and its link manages the booking", async () => {
  await sql`insert into public.automation_tags (tag, kind, triggers, example)
    values ('booking_manage_url', 'text', '{booking.confirmed}', 'https://app.example/booking') on conflict do nothing`;
  const show = await podcast("Night & Day"), link = await openLink(show);
  const subject = `Session ${crypto.randomUUID()}`;
  const template = await newTemplate(show, {
    subject,
    body_html: `<p><a href="{booking_manage_url}">Manage your booking</a></p>`,
    body_text: "Manage: {booking_manage_url}",
  });
  const rule = await newRule(show, { trigger_type: "booking.confirmed", actions: [emailTo("guest", template)] });
  const { id, guestEmail, accessToken } = await booked(link, 300);
  const verified = await post("/guest/verify", { accessToken });
  assert.equal(verified.status, 200, verified.text);
  const confirmed = await post(`/${id}/confirm`, {}, "admin");
  assert.equal(confirmed.status, 200, confirmed.text);

  const message = await arrival(guestEmail, subject), parsed = await parsedEmail(message);
  const admin = await person("admin");
  assert.equal(parsed.from?.name, "Night & Day");
  assert.deepEqual(parsed.replyTo?.map(({ address }) => address), [admin.email]);
  assert.match(message.Text, /You get this email because you booked a session with Night & Day\./);
  assert.doesNotMatch(message.Text, /View podcast/, "no episode is published, so the podcast has no page");
  const [, token] = /#token=([\w-]{43})\s/.exec(message.Text)!;
  assert.ok(message.HTML.includes(`#token=${token}"`));
  const opened = await post("/guest", { accessToken: token });
  assert.deepEqual([opened.status, opened.body.data.booking.id], [200, id], opened.text);

  const [body, result] = await waitFor("the email is recorded as sent", async () => {
    const { body } = await send("GET", `/executions?podcast_id=${show.id}&rule_id=${rule.id}`);
    const [{ result }] = body.executions[0].action_results;
    return result.recipients[0].status === "sent" ? [body, result] : undefined;
  });
  assert.deepEqual([result.recipient_count, result.sent_count, result.missing_tags], [1, 1, []]);
  assert.match(result.recipients[0].recipient, /^g\*\*\*@g\*\*\*\.test$/);
  assert.doesNotMatch(JSON.stringify(body), new RegExp(`${token}|#token=`));
});
