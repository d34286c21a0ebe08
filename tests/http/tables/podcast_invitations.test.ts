// Invitations to a team: RPC functions, emails and realtime.
import assert from "node:assert/strict";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { addMember, callRpc, person, podcast, sql, stackInfo, waitFor } from "../harness.ts";
import { emailsTo } from "../inbox.ts";
import { within } from "../../wait_for.ts";

interface Invitation {
  id: string;
  podcast_id: string;
  email: string;
  role: string;
  status: string;
  email_status: string | null;
  podcast_title: string;
  inviter_name: string | null;
  expires_at: string;
}

const newAddress = () => `team-${crypto.randomUUID()}@people.test`;
const newClient = () =>
  createClient(stackInfo.url, stackInfo.publishableKey, { auth: { persistSession: false, autoRefreshToken: false } });

/** Invitations to this address, newest first. */
const inbox = async (address: string) => (await emailsTo(address, 'subject:"Join the team"')).reverse();

Deno.test("an invited person without an account gets an email, signs up, confirms, accepts and edits the podcast", async () => {
  const owner = await person("inviting"), show = await podcast("Night <Trains>", "inviting"), email = newAddress();
  await owner.client.from("profiles").update({ display_name: "Ada & Co" }).eq("id", owner.id).throwOnError();
  const invited = await owner.client.rpc("invite_podcast_member", {
    podcast_id: show.id,
    email: email.toUpperCase(),
    role: "admin",
  });
  assert.equal(invited.status, 201);
  const invitation = invited.data as Invitation;
  assert.deepEqual(Object.keys(invitation).sort(), [
    "accepted_by",
    "created_at",
    "email",
    "email_due_at",
    "email_status",
    "expires_at",
    "id",
    "invited_by",
    "inviter_name",
    "podcast_id",
    "podcast_title",
    "role",
    "status",
    "updated_at",
  ]);
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

  const client = newClient(), password = "correct horse";
  const { data: { user } } = await client.auth.signUp({ email, password });
  const service = createClient(stackInfo.url, stackInfo.secretKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  assert.ok(user);
  await service.auth.admin.updateUserById(user.id, { email_confirm: true, password });
  assert.equal((await client.auth.signInWithPassword({ email, password })).error, null);
  const seen = await client.from("podcast_invitations").select("id, podcast_title, inviter_name, role, status");
  assert.deepEqual(seen.data, [{
    id: invitation.id,
    podcast_title: "Night <Trains>",
    inviter_name: "Ada & Co",
    role: "admin",
    status: "pending",
  }]);
  assert.deepEqual((await client.from("podcasts").select("id")).data, []);
  assert.deepEqual((await owner.client.from("profiles").select("id").eq("id", user.id)).data, []);

  const joined = await client.rpc("accept_podcast_invitation", { invitation_id: invitation.id });
  assert.deepEqual([joined.status, joined.data.role, joined.data.user_id], [200, "admin", user.id]);
  const edited = await client.from("podcasts").update({ title: "Day Trains" }).eq("id", show.id).select("title");
  assert.deepEqual(edited.data, [{ title: "Day Trains" }]);
  assert.equal((await owner.client.from("profiles").select("id").eq("id", user.id)).data?.length, 1);
  const again = await client.rpc("accept_podcast_invitation", { invitation_id: invitation.id });
  assert.deepEqual([again.status, again.error?.hint], [409, "PODCAST_INVITATION_ANSWERED"]);
});

/** Subscribes to podcast_invitations and collects the events. */
async function listening(client: SupabaseClient, token: string) {
  await client.realtime.setAuth(token);
  const events: { eventType: string; new: Partial<Invitation> }[] = [];
  const ready = Promise.withResolvers<void>();
  client.channel(`invitations-${crypto.randomUUID()}`)
    .on("system", {}, () => ready.resolve())
    .on(
      "postgres_changes",
      { event: "*", schema: "public", table: "podcast_invitations" } as never,
      (event: (typeof events)[number]) => events.push(event),
    )
    .subscribe((status, error) => {
      if (status === "CHANNEL_ERROR") ready.reject(error);
    });
  await within("the subscription", ready.promise);
  return events;
}

Deno.test({
  name: "Realtime sends an invitation to the invited person and the podcast's admins only",
  sanitizeOps: false, // supabase-js leaves a timer behind when it disconnects
  sanitizeResources: false,
  async fn() {
    const show = await podcast("Live"),
      invited = await person("invited-live"),
      bystander = await person("bystander-live");
    await addMember(show, await person("member-live"));
    const people = [invited, bystander, await person("owner"), await person("member-live")];
    const clients = people.map(newClient);
    try {
      const events = await Promise.all(people.map(({ token }, n) => listening(clients[n], token)));
      const owner = await person("owner"), stranger = await person("stranger");
      for (const { email } of [invited, bystander]) {
        await callRpc(owner, "invite_podcast_member", { podcast_id: show.id, email });
      }
      // Sent last: a client that has received it has received the others
      const last = await podcast("Elsewhere", "stranger");
      for (const { email } of people) {
        await callRpc(stranger, "invite_podcast_member", { podcast_id: last.id, email });
      }
      const emailsOf = (
        { id }: { id: string },
        n: number,
      ) => [...new Set(events[n].filter((e) => e.new.podcast_id === id).map((e) => e.new.email))]; // its email_status follows
      const emails = (n: number) => emailsOf(show, n);
      await waitFor(
        "each receives the last invitation",
        () => people.every((_, n) => emailsOf(last, n).length > 0),
      );
      assert.deepEqual([0, 1, 2, 3].map(emails), [
        [invited.email],
        [bystander.email],
        [invited.email, bystander.email],
        [],
      ]);
    } finally {
      await Promise.all(clients.map((client) => client.removeAllChannels()));
      await Promise.all(clients.map((client) => client.realtime.disconnect()));
    }
  },
});
