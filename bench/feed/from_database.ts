// The peer of serve.ts: a handler that reads the document from the database for every request.
import { Buffer } from "node:buffer";
import "../../functions/database/immediate_writes.ts";
import postgres from "postgres";

const sql = postgres(Deno.args[0], { max: 10 });
Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) }, async () => {
  // base64, because the driver's bytea takes ten times as long, as does a Buffer as body
  const [{ base64 }] = await sql`select encode(gzip, 'base64') as base64 from bench_document`;
  const { buffer, byteOffset, length } = Buffer.from(base64, "base64");
  return new Response(new Uint8Array(buffer, byteOffset, length), { headers: { "content-encoding": "gzip" } });
});
