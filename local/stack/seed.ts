// The seed of a fresh stack, as in the CLI: SQL files, and the files of config.toml's buckets.
import { createHash } from "node:crypto";
import { extname, join, relative } from "node:path";
import { asOneTransaction } from "../database/sql_text.ts";
import { connected } from "../postgres/client.ts";
import type { Project } from "../host/project.ts";

/** Runs each seed file once per database, even if it changes; `npm run db:reset` recreates the database. */
export async function seedDatabase(url: string, { folder, seeds }: Project) {
  await connected(url, async (sql) => {
    for (const file of seeds) {
      const text = await Deno.readTextFile(file).catch(() => undefined);
      const path = relative(folder, file);
      const [applied] = await sql`select from supabase_migrations.seed_files where path = ${path}`;
      if (applied || text === undefined) continue;
      const hash = createHash("sha256").update(text).digest("hex");
      await asOneTransaction(
        sql,
        path,
        text,
        (transaction) => transaction`insert into supabase_migrations.seed_files (path, hash) values (${path}, ${hash})`,
      );
    }
  });
}

const TYPES: Record<string, string> = {
  ".mp3": "audio/mpeg",
  ".m4a": "audio/mp4",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
};

/** Creates missing buckets. Stores each file once per database, so that a deleted object stays deleted. */
export async function seedBuckets(
  url: string,
  { folder, buckets }: Project,
  storage: { fetch(request: Request): Promise<Response>; secretKey: string },
) {
  await connected(url, async (sql) => {
    for (const { name, public: isPublic, fileSizeLimit, mimeTypes, objects } of buckets) {
      await sql`
        insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
        select ${name}, ${name}, ${isPublic}, ${fileSizeLimit}, array(select jsonb_array_elements_text(${
        sql.json(mimeTypes)
      }))
        on conflict do nothing`;
      if (!objects) continue;
      for await (const file of filesBelow(objects)) {
        const path = relative(folder, file);
        const [applied] = await sql`select from supabase_migrations.seed_files where path = ${path}`;
        if (applied) continue;
        const bytes = await Deno.readFile(file);
        const response = await storage.fetch(
          new Request(`http://storage/storage/v1/object/${name}/${encodeURI(relative(objects, file))}`, {
            method: "POST",
            body: bytes,
            headers: {
              apikey: storage.secretKey,
              authorization: `Bearer ${storage.secretKey}`,
              "content-type": TYPES[extname(file)] ?? "application/octet-stream",
              "content-length": String(bytes.length),
              "cache-control": "max-age=3600",
              "x-upsert": "true",
            },
          }),
        );
        if (!response.ok) throw new Error(`${path} could not be stored: ${await response.text()}`);
        const hash = createHash("sha256").update(bytes).digest("hex");
        await sql`insert into supabase_migrations.seed_files (path, hash) values (${path}, ${hash})`;
      }
    }
  });
}

async function* filesBelow(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesBelow(join(folder, name));
    else yield join(folder, name);
  }
}
