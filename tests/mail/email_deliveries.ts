// The job of `email_deliveries` with a Resend peer, in this process and on a database of its own.
import type { Job } from "../../functions/worker/job.ts";
import { timeBudget } from "../../functions/worker/run_limits.ts";
import { createFeedDatabase } from "../feed_writer/feed_database.ts";
import { startResendPeer } from "./resend_peer.ts";

export async function startEmailDeliveries() {
  const peer = startResendPeer();
  const database = await createFeedDatabase(undefined, peer.env);
  const { sql } = database;
  const { drain } = await import("../../functions/worker/loop.ts");
  const { sendEmailDeliveryJob } = await import("../../functions/worker/jobs/send_email_delivery.ts");
  await sql`select private.set_setting('app_url', 'https://app.example')`;

  /** A user with a podcast and an episode. */
  async function makeUser({ name = "Ola", locale = "en", title = "Night Trains" } = {}) {
    const [user] = await sql<{ id: string; email: string }[]>`
      insert into auth.users (id, email, email_confirmed_at, aud, role)
      values (gen_random_uuid(), gen_random_uuid() || '@people.test', now(), 'authenticated', 'authenticated')
      returning id, email`;
    await sql`update public.profiles set display_name = ${name}, locale = ${locale} where id = ${user.id}`;
    const [{ podcast_id }] = await sql`
      insert into public.podcasts (owner_id, title) values (${user.id}, ${title}) returning id as podcast_id`;
    const [{ episode_id }] = await sql`
      insert into public.episodes (podcast_id, title) values (${podcast_id}, 'Paris–Wien') returning id as episode_id`;
    await sql`delete from private.events`;
    return { ...user, podcastId: podcast_id as string, episodeId: episode_id as string };
  }

  /** Notifies recipients and enqueues the emails. Returns the ids of the deliveries. */
  async function notify(type: string, recipients: object[], payload: object, more: { group_key?: string } = {}) {
    await sql`select private.notify(${type}, ${sql.json(recipients as never)}, ${sql.json(payload as never)},
      _group_key => ${more.group_key ?? null})`;
    await sql`select private.enqueue_due_deliveries(now() + interval '1 hour', 10000)`;
    const rows = await sql<{ id: string }[]>`
      select (q.message ->> 'delivery_id') as id from pgmq.q_email_deliveries q where q.read_ct = 0 order by q.msg_id`;
    return rows.map(({ id }) => id);
  }

  /** Notifies a new user of having been added to an episode's team. */
  async function addToTeam(changes: Parameters<typeof makeUser>[0] = {}) {
    const user = await makeUser(changes);
    const ids = await notify("episode.team_added", [{ user_id: user.id }], {
      podcast_id: user.podcastId,
      episode_id: user.episodeId,
      actor_id: null,
    });
    return { user, id: ids.at(-1)! };
  }

  /** Processes the queue; messages that wait for a retry become due first. */
  async function work() {
    await sql`update pgmq.q_email_deliveries set vt = now() - interval '1 second'`;
    await drain(sendEmailDeliveryJob as Job, timeBudget(60_000));
  }

  async function deliveryOf(id: string) {
    const [row] = await sql<{ status: string; messageId: string | null; error: string | null; content: unknown }[]>`
      select d.status, s.provider_message_id as "messageId", s.last_error as error, s.content
      from public.notification_deliveries d left join private.delivery_sends s on s.delivery_id = d.id
      where d.id = ${id}`;
    return row;
  }

  const emailOf = (deliveryId: string) => peer.emails.find(({ key }) => key === deliveryId)!;

  return {
    sql,
    env: database.env,
    peer,
    makeUser,
    notify,
    addToTeam,
    work,
    deliveryOf,
    emailOf,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await peer[Symbol.asyncDispose]();
    },
  };
}
