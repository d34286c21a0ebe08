// The peer of serve.ts: a bare Deno server that runs the same select prepared and answers the same bytes.
// Paths: /<read>/<slug>, and /get_public_episode_by_id/<episodeId>.
import "../../functions/database/immediate_writes.ts";
import postgres from "postgres";

const [url, etag] = Deno.args;
const sql = postgres(url, { max: 10 });
const encoder = new TextEncoder();
const headers = { "content-type": "application/json", "content-encoding": "identity", etag };

Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) }, async (request) => {
  const [, , , read, key] = request.url.split("/");
  const [{ text }] = await run(read, key);
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  return new Response(encoder.encode(`{"success":true,${text.slice(1)}`), { headers });
});

function run(read: string, key: string) {
  switch (read) {
    case "get_public_podcast":
      return sql`select public.get_public_podcast(${key})::text as text`;
    case "list_public_episodes":
      return sql`select public.list_public_episodes(${key})::text as text`;
    default:
      return sql`select public.get_public_episode_by_id(${key})::text as text`;
  }
}
