// Invitations and their mails, for the tests: the token is known from the mail alone, as it is to a guest.
import assert from "node:assert/strict";
import { type Episode, person, type RequestOptions, sendRequest, sql, stackInfo, waitFor } from "../harness.ts";

export interface Email {
  from: { Name: string; Address: string };
  to: { Name: string; Address: string }[];
  /** Everybody else whom a header or the envelope names. */
  others: string[];
  subject: string;
  text: string;
  html: string;
  /** Of the link in the text. */
  token: string;
}

/** What has arrived for this address, oldest first. */
export async function emails(address: string): Promise<Email[]> {
  const inbox = `${stackInfo.mailUrl}/api/v1`;
  const read = async (path: string) => await (await fetch(`${inbox}/${path}`)).json();
  const { messages }: { messages: { ID: string }[] } = await read(
    `search?${new URLSearchParams({ query: `to:"${address}"` })}`,
  );
  const mails = await Promise.all(messages.map(({ ID }) => read(`message/${ID}`)));
  return mails.reverse().map(({ From, To, Cc, Bcc, Subject, Text, HTML }) => ({
    from: From,
    to: To,
    others: [...Cc, ...Bcc].map(({ Address }) => Address),
    subject: Subject,
    text: Text,
    html: HTML,
    token: /#token=(\S+)/.exec(Text)![1],
  }));
}

const admin = await person("admin");

export const newAddress = () => `guest-${crypto.randomUUID()}@guests.test`;

export interface Invitee {
  email: string;
  displayName: string;
  message?: string;
}

/** Invites someone, as the podcast's admin if nobody else is named, and waits until the mail has come and is known to. */
export async function invite(episode: Episode, changes: Partial<Invitee> = {}, by: RequestOptions["as"] = "admin") {
  const invitee: Invitee = { email: newAddress(), displayName: "Gus Guest", ...changes };
  const before = (await emails(invitee.email)).length;
  await sql`delete from private.rate_limits where key = ${`guest_invitation:${admin.id}`}`; // who invites for all tests
  const json = { episodeId: episode.id, ...invitee };
  const { status, text, body } = await sendRequest({ method: "POST", path: "/api/guests", as: by, json });
  assert.equal(status, 201, text);
  await waitFor("the mail comes", async () => (await emails(invitee.email)).length > before);
  const letter = (await emails(invitee.email)).at(-1)!, episodeGuestId: string = body.data.episodeGuest.id;
  const sent = () =>
    sql`select from private.guest_invitations where episode_guest_id = ${episodeGuestId} and sent_at is not null`;
  await waitFor("the mail is noted as sent", async () => (await sent()).length > 0); // the token before opens till then
  return { ...invitee, ...letter, letter, episodeGuestId };
}

/** A request to /api/guests by token. */
export const byToken = (path: string, accessToken: unknown, more: object = {}) =>
  sendRequest({ method: "POST", path: `/api/guests${path}`, json: { accessToken, ...more } });
