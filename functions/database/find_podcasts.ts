import type postgres from "postgres";
import { limitedTemplate } from "./statements.ts";

/** The statement takes no locks, and other work waits for it. */
export const FIND_LIMITS = { statementMs: 1000, callerMs: 1000 };

const FIND = limitedTemplate("select key, podcast_id from private.find_podcasts(keys => $1::text[])", FIND_LIMITS);

/** Finds the podcasts of ids and slugs; the map lacks keys without one. */
export async function findPodcasts(sql: postgres.Sql, keys: string[]): Promise<Map<string, string>> {
  const found = await sql<{ key: string; podcast_id: string }[]>(FIND, keys);
  return new Map(found.map((row) => [row.key, row.podcast_id]));
}
