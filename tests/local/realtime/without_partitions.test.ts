// A project whose Realtime has not run today: notifications are written, and broadcast from its start on.
import { deepStrictEqual as equal } from "node:assert";
import postgres from "../../../local/postgres/client.ts";
import { createProjectDatabase } from "../../project_cluster.ts";
import { startRealtime } from "./realtime_service.ts";

Deno.test("without partitions of realtime.messages, a notification is written without a warning", async () => {
  await using database = await createProjectDatabase();
  const warnings: unknown[] = [];
  const sql = postgres(database.url, { max: 1, onnotice: ({ message }) => warnings.push(message) });
  const [{ id }] = await sql`
    insert into auth.users (id, aud, role, email, email_confirmed_at)
    values (gen_random_uuid(), 'authenticated', 'authenticated', 'ann@test.local', now()) returning id`;
  /** Writes a notification. Returns how many broadcasts there are. */
  const notify = async () => {
    await sql`
      insert into public.notifications (user_id, type, category, priority, title)
      values (${id}, 'chat.message', 'collaboration', 'normal', 'New')`;
    return Number((await sql`select count(*) from realtime.messages where topic = ${`inbox:${id}`}`)[0].count);
  };
  equal(await notify(), 0);
  {
    await using _realtime = await startRealtime(database.url);
    equal(await notify(), 1);
  }
  equal(warnings, []);
  await sql.end({ timeout: 1 });
});
