// Invitations to a team: RPC functions, emails and realtime.
import assert from "node:assert/strict";
import { client, leave, listen, test } from "../../parity/realtime/subscribers.ts";
import { addMember, assertKeys, callRpc, person, podcast, sql, stackInfo, waitFor } from "../harness.ts";
import { emailsTo } from "../inbox.ts";

/** Invitations to this address, newest first. */
const inbox = async (address: string) => (await emailsTo(address, 'subject:"Join the team"')).reverse();

Deno.test("an invited person without an account gets an email, signs up, confirms, accepts and edits the podcast", async () => {
  const owner = await person("inviting"), show = await podcast("Night <Trains>", "inviting");
  const email = `team-${crypto.randomUUID()}@people.test`;
  await owner.client.from("profiles").update({ display_name: "Ada & Co" }).eq("id", owner.id).throwOnError();
  const invited = await owner.client.rpc("invite_podcast_member", {
    podcast_id: show.id,
    email: email.toUpperCase(),
    role: "admin",
  });
  assert.equal(invited.status, 201);
  const invitation = invited.data;
  assertKeys(
    invitation,
    ...["id", "podcast_id", "podcast_title", "email", "role", "status", "email_status", "email_due_at", "expires_at"],
    ...["invited_by", "inviter_name", "accepted_by", "created_at", "updated_at"],
  );
  assert.deepEqual([invitation.email, invitation.role, invitation.status], [email, "admin", "pending"]);

  assert.equal(invitation.email_status, "queued");
  await sql`select private.enqueue_due_deliveries()`; // before cron does
  const [message] = await waitFor("the email arrives", async () => {
    const emails = await inbox(email);
    return emails.length > 0 ? emails : undefined;
  });
  assert.equal(message.Subject, "Join the team of Night <Trains>");
  assert.deepEqual(message.To, [{ Name: "", Address: email }]);
  const day = new Date(invitation.expires_at).toLocaleDateString("en", { dateStyle: "long", timeZone: "UTC" });
  for (
    const part of [
      "Ada & Co has invited you to join the team of the podcast “Night <Trains>”",
      "As an admin you can",
      `sign in with this email address, ${email}, or sign up`,
      `until ${day}`,
      "Don't want to join?",
      `${stackInfo.functionsUrl}/api/notifications/email/click/`,
    ]
  ) {
    assert.ok(message.Text.replaceAll("\r\n", "\n").includes(part), `${part}: ${message.Text}`);
  }
  assert.ok(
    message.HTML.includes("Ada &amp; Co has invited you to join the team of the podcast “Night &lt;Trains&gt;”"),
    message.HTML,
  );

  const invitee = client(stackInfo.publishableKey), password = "correct horse";
  const { data: { user } } = await invitee.auth.signUp({ email, password });
  assert.ok(user);
  const { auth: { admin } } = client(stackInfo.secretKey);
  await admin.updateUserById(user.id, { email_confirm: true, password });
  assert.equal((await invitee.auth.signInWithPassword({ email, password })).error, null);
  const seen = await invitee.from("podcast_invitations").select("id, podcast_title, inviter_name, role, status");
  assert.deepEqual(seen.data, [{
    id: invitation.id,
    podcast_title: "Night <Trains>",
    inviter_name: "Ada & Co",
    role: "admin",
    status: "pending",
  }]);
  assert.deepEqual((await invitee.from("podcasts").select("id")).data, []);
  assert.deepEqual((await owner.client.from("profiles").select("id").eq("id", user.id)).data, []);

  const joined = await invitee.rpc("accept_podcast_invitation", { invitation_id: invitation.id });
  assert.deepEqual([joined.status, joined.data.role, joined.data.user_id], [200, "admin", user.id]);
  const edited = await invitee.from("podcasts").update({ title: "Day Trains" }).eq("id", show.id).select("title");
  assert.deepEqual(edited.data, [{ title: "Day Trains" }]);
  assert.equal((await owner.client.from("profiles").select("id").eq("id", user.id)).data?.length, 1);
  const again = await invitee.rpc("accept_podcast_invitation", { invitation_id: invitation.id });
  assert.deepEqual([again.status, again.error?.hint], [409, "PODCAST_INVITATION_ANSWERED"]);
});

test("Realtime sends an invitation to the invited person and the podcast's admins only", async () => {
  const show = await podcast("Live"),
    invited = await person("invited-live"),
    bystander = await person("bystander-live");
  const owner = await person("owner"), member = await person("member-live"), stranger = await person("stranger");
  await addMember(show, member);
  const people = [invited, bystander, owner, member];
  const seen = await Promise.all(
    people.map(async ({ client }) => (await listen(client, { table: "podcast_invitations" })).events),
  );
  for (const { email } of [invited, bystander]) {
    await callRpc(owner, "invite_podcast_member", { podcast_id: show.id, email });
  }
  // Sent last: a client that has received it has received the others
  const last = await podcast("Elsewhere", "stranger");
  for (const { email } of people) {
    await callRpc(stranger, "invite_podcast_member", { podcast_id: last.id, email });
  }
  /** Each address once: its email_status follows. */
  const emailsOf = ({ id }: { id: string }) =>
    seen.map((events) => [...new Set(events.filter((e) => e.new.podcast_id === id).map((e) => e.new.email))]);
  await waitFor("each receives the last invitation", () => emailsOf(last).every((emails) => emails.length > 0));
  assert.deepEqual(emailsOf(show), [
    [invited.email],
    [bystander.email],
    [invited.email, bystander.email],
    [],
  ]);
  await leave(...people.map(({ client }) => client));
});
