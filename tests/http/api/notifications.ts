// Shared by the tests of /api/notifications.
import { newPerson, type Person, sendRequest, sql } from "../harness.ts";

export const BASE = "/api/notifications";
const MINUTE_MS = 60_000;

export interface Columns {
  type?: string;
  category?: string;
  priority?: string;
  body?: string;
  link?: string | null;
  group_key?: string;
  scheduled_for?: Date;
  read_at?: Date;
  archived_at?: Date;
  created_at?: Date;
}

/** Inserts a notification of the user; returns its id. */
export async function notify({ id }: Person, title: string, columns: Columns = {}): Promise<string> {
  const row = { user_id: id, type: "chat.message", category: "collaboration", priority: "normal", title, ...columns };
  const [{ id: notificationId }] = await sql`insert into public.notifications ${sql(row)} returning id`;
  return notificationId;
}

export const read = () => ({ read_at: new Date() });
export const archived = () => ({ read_at: new Date(), archived_at: new Date() });
export const notDue = () => ({ scheduled_for: new Date(Date.now() + MINUTE_MS) });
export const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS);

/** A user of one test alone, with shortcuts for the routes. */
export async function newInbox(name: string) {
  const user = await newPerson(name), as = { token: user.token };
  return {
    user,
    get: (path = "") => sendRequest({ method: "GET", path: BASE + path, as }),
    post: (path: string, json?: unknown) => sendRequest({ method: "POST", path: BASE + path, as, json }),
    delete: (path: string) => sendRequest({ method: "DELETE", path: BASE + path, as }),
    titles: async (query = "") => {
      const { body } = await sendRequest({ method: "GET", path: BASE + query, as });
      return body.data.notifications.map(({ title }: { title: string }) => title) as string[];
    },
    state: async (id: string) =>
      (await sql`
        select case when archived_at is not null then 'archived' when read_at is not null then 'read' else 'unread' end
          as state
        from public.notifications where id = ${id}`)[0].state as string,
  };
}
