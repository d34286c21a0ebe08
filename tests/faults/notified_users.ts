// Users, guests and chats whose notifications are to be sent, and what users do meanwhile.
import type { asPostgres } from "../database.ts";
import type { Browser } from "../push/push_service.ts";

export type Sql = ReturnType<typeof asPostgres>;
export type User = { id: string };

export const idsOf = (users: User[]) => users.map(({ id }) => id);

/** Of the first message of writeMessages(). */
export const EXCERPT = "A message that is deleted";

export async function makeUsers(sql: Sql, count: number): Promise<User[]> {
  return await sql<User[]>`
    insert into auth.users (id, email, email_confirmed_at, aud, role)
    select gen_random_uuid(), gen_random_uuid() || '@people.test', now(), 'authenticated', 'authenticated'
    from generate_series(1, ${count}::int) returning id`;
}

/** A browser for each user. */
export async function subscribeUsers(sql: Sql, users: User[], subscribe: () => Browser): Promise<Browser[]> {
  const browsers = users.map(subscribe);
  const subscriptions = browsers.map(({ subscription: { endpoint, keys } }, n) => ({
    endpoint,
    ...keys,
    user_id: users[n].id,
  }));
  await sql`
    with browser as (
      select * from jsonb_to_recordset(${
    sql.json(subscriptions)
  }) b (user_id uuid, endpoint text, p256dh text, auth text)
    ), added as (
      insert into public.push_subscriptions (user_id, endpoint) select b.user_id, b.endpoint from browser b
      returning id, endpoint)
    insert into private.push_subscription_keys (subscription_id, p256dh, auth)
    select a.id, b.p256dh, b.auth from added a join browser b using (endpoint)`;
  return browsers;
}

/** Two messages to the team of an episode, whose email is due. Returns their ids. */
export async function writeMessages(sql: Sql, team: User[]): Promise<string[]> {
  const [{ podcastId }] = await sql`
    insert into public.podcasts (owner_id, title) values (${team[0].id}, 'Chatty') returning id as "podcastId"`;
  const [{ episodeId }] = await sql`
    insert into public.episodes (podcast_id, title) values (${podcastId}, 'Pilot') returning id as "episodeId"`;
  await sql`
    insert into public.podcast_members (podcast_id, user_id, role)
    select ${podcastId}, u, 'member' from unnest(${idsOf(team).slice(1)}::uuid[]) u`;
  const messages = [];
  for (const body of [EXCERPT, "Another message"]) {
    const [{ id }] = await sql`
      insert into public.episode_messages (episode_id, body, sender_user_id)
      values (${episodeId}, ${body}, ${team[0].id}) returning id`;
    const payload = { podcast_id: podcastId, episode_id: episodeId, params: { excerpt: body } };
    await sql`
      select private.notify('chat.message', private.user_recipients(variadic ${idsOf(team)}::uuid[]), ${
      sql.json(payload)
    }, _dedupe_key => ${`message:${id}`}, _group_key => private.chat_group_key(${episodeId}),
        at => now() - interval '3 minutes')`;
    messages.push(id as string);
  }
  return messages;
}

export const readAll = (sql: Sql, userId: string) =>
  sql`update public.notifications set read_at = clock_timestamp() where user_id = ${userId} and read_at is null`;
export const turnOff = (sql: Sql, userId: string) =>
  sql`update public.notification_preferences set email_import_failed = false, push_import_failed = false
    where user_id = ${userId}`;
export const deleteAccount = (sql: Sql, userId: string) => sql`delete from auth.users where id = ${userId}`;
export const deleteMessage = (sql: Sql, id: string) =>
  sql`update public.episode_messages set deleted_at = clock_timestamp(), body = null where id = ${id}`;

/** Guests whose invitations are enqueued. */
export async function inviteGuests(sql: Sql, host: User, count: number) {
  await sql`
    with show as (
      insert into public.podcasts (owner_id, title) values (${host.id}, 'Night Trains') returning id
    ), episode as (
      insert into public.episodes (podcast_id, title) select show.id, 'Paris–Wien' from show returning id
    ), guest as (
      insert into public.podcast_guests (podcast_id, display_name, email)
      select show.id, 'Gus ' || n, 'gus' || n || '@guests.test' from show, generate_series(1, ${count}::int) n
      returning id
    ), invited as (
      insert into public.episode_guests (episode_id, podcast_guest_id) select e.id, g.id from episode e, guest g
      returning id
    )
    insert into private.guest_invitations (episode_guest_id) select i.id from invited i`;
  await sql`
    select private.send_guest_invitation(e, g, i, now()) from private.guest_invitations i
    join public.episode_guests e on e.id = i.episode_guest_id
    join public.podcast_guests g on g.id = e.podcast_guest_id`;
}
