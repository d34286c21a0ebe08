// Emails that were sent, with tokens and a message id of a provider.
import { Buffer } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import { sql } from "../harness.ts";

export interface SentEmail {
  deliveryId: string;
  messageId: string;
  tokens: Record<"open" | "click" | "unsubscribe", string>;
}

/** An email to a user, or to an address, which can be about a podcast. */
export async function sendEmail(
  to: { id: string } | { address: string; locale: string; podcast?: { id: string; title: string } },
  { type = "chat.message", destination = "https://app.test/chat" }: { type?: string; destination?: string | null } = {},
): Promise<SentEmail> {
  const userId = "id" in to ? to.id : null;
  const [{ id }] = await sql<{ id: string }[]>`
    with notification as (
      insert into public.notifications (user_id, type, category, priority, title)
      select p.id, t.type, t.category, t.priority, 'A title'
      from public.profiles p, public.notification_types t where p.id = ${userId} and t.type = ${type} returning id)
    insert into public.notification_deliveries (notification_id, user_id, type, channel, priority, status)
    values ((select id from notification), ${userId}, ${type}, 'email', 'normal', 'queued') returning id`;
  if ("address" in to) {
    await sql`insert into private.delivery_addresses (delivery_id, email, locale, title, podcast_id, podcast_title)
      values (${id}, ${to.address}, ${to.locale}, 'A title', ${to.podcast?.id ?? null}, ${to.podcast?.title ?? null})`;
  }
  const messageId = crypto.randomUUID();
  await sql`insert into private.delivery_sends (delivery_id, provider_message_id) values (${id}, ${messageId})`;
  const newToken = () => randomBytes(32).toString("base64url");
  const tokens = { open: newToken(), click: newToken(), unsubscribe: newToken() };
  const digests = Object.entries(tokens).map(([kind, token]) => ({
    kind,
    digest: createHash("sha256").update(token).digest("hex"),
    ...kind === "click" && { destination },
  }));
  await sql`select private.store_email_tokens(${id}, ${JSON.stringify(digests)}::text::jsonb)`;
  return { deliveryId: id, messageId, tokens };
}

/** The status and the names of the times that are set. */
export async function stateOf({ deliveryId }: SentEmail): Promise<string> {
  const [{ status, ...times }] = await sql`
    select status, sent_at, delivered_at, opened_at, clicked_at, failed_at
    from public.notification_deliveries where id = ${deliveryId}`;
  return [status, ...Object.keys(times).filter((name) => times[name])].join(" ");
}

/** Replaces the token's expiry by a past one. */
export async function expire(token: string) {
  const digest = Buffer.from(createHash("sha256").update(token).digest());
  await sql`update private.email_tokens set expires_at = now() where digest = ${digest}`;
}
