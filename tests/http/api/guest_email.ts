// Invites guests and reads their emails. As for a guest, the email is the only source of the token.
import assert from "node:assert/strict";
import { type Episode, person, type RequestOptions, sendRequest, sql, waitFor } from "../harness.ts";
import { emailsTo } from "../inbox.ts";

export interface Email {
  from: { Name: string; Address: string };
  to: { Name: string; Address: string }[];
  /** Addresses in Cc and Bcc. */
  others: string[];
  subject: string;
  text: string;
  html: string;
  /** Read from the link in the text; empty if it has none. */
  token: string;
}

/** The emails to this address, oldest first. */
export async function emails(address: string): Promise<Email[]> {
  return (await emailsTo(address)).map(({ From, To, Cc, Bcc, Subject, Text, HTML }) => ({
    from: From,
    to: To,
    others: [...Cc, ...Bcc].map(({ Address }) => Address),
    subject: Subject,
    text: Text,
    html: HTML,
    token: /#token=(\S+)/.exec(Text)?.[1] ?? "",
  }));
}

const admin = await person("admin");

export const newAddress = () => `guest-${crypto.randomUUID()}@guests.test`;

export interface Invitee {
  email: string;
  displayName: string;
  message?: string;
}

/** Invites a guest, as an admin by default, and waits until the email has arrived and is recorded as sent. */
export async function invite(episode: Episode, changes: Partial<Invitee> = {}, by: RequestOptions["as"] = "admin") {
  const invitee: Invitee = { email: newAddress(), displayName: "Gus Guest", ...changes };
  const before = (await emails(invitee.email)).length;
  await sql`delete from private.rate_limits where key = ${`guest_invitations:${admin.id}`}`; // the same admin invites in all tests
  const json = { episodeId: episode.id, ...invitee };
  const { status, text, body } = await sendRequest({ method: "POST", path: "/api/guests", as: by, json });
  assert.equal(status, 201, text);
  await sql`select private.enqueue_due_deliveries()`; // before cron does
  await waitFor("the email arrives", async () => (await emails(invitee.email)).length > before);
  const sentEmail = (await emails(invitee.email)).at(-1)!, episodeGuestId: string = body.data.episodeGuest.id;
  const sent = () => sql`select from public.episode_guests where id = ${episodeGuestId} and email_status = 'sent'`;
  await waitFor("the email is recorded as sent", async () => (await sent()).length > 0); // until then it is not sent again
  return { ...invitee, ...sentEmail, sentEmail, episodeGuestId };
}

/** A request to /api/guests with an access token. */
export const byToken = (path: string, accessToken: unknown, more: object = {}) =>
  sendRequest({ method: "POST", path: `/api/guests${path}`, json: { accessToken, ...more } });
