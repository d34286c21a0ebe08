import type postgres from "postgres";

/** Finds the podcasts of ids and slugs; the map lacks keys without one. */
export async function findPodcasts(sql: postgres.Sql, keys: string[]): Promise<Map<string, string>> {
  const found = await sql<{ key: string; podcast_id: string }[]>`
    select key, podcast_id from private.find_podcasts(keys => ${keys}::text[])
    where (select private.limit_statement(max_ms => 1000))`;
  return new Map(found.map((row) => [row.key, row.podcast_id]));
}
