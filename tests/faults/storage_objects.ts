// Storage objects of the fault tests.
import { makeImage, stored } from "../http/api/images.ts";
import { type Person, sql } from "../http/harness.ts";

/** Imports square temporary artwork of this user; returns its path. */
export async function importArtwork({ id }: Person, width = 1400): Promise<string> {
  const bytes = makeImage.jpeg({ width, height: width, bytes: 30_000 }),
    size = JSON.stringify({ width, height: width });
  const path = await stored(`imports/${id}/${crypto.randomUUID()}.jpg`, bytes, "image/jpeg");
  await sql`select private.finish_artwork_import(${id}, ${path}, ${bytes.length}, 'image/jpeg', ${size}::text::jsonb)`;
  return path;
}

/** Whether storage has the object, in either bucket. */
export async function isStored(path: string): Promise<boolean> {
  return (await sql`select from storage.objects where bucket_id in ('media', 'staging') and name = ${path}`).length ===
    1;
}

/** Whether an account is charged for the object. */
export async function isUsed(path: string): Promise<boolean> {
  return (await sql`select from private.media_objects where path = ${path} and released_at is null`).length === 1;
}
