/** Makes and uploads images, and reads what storage and the ledger have afterwards. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type postgres from "postgres";
import { createClient } from "@supabase/supabase-js";
import { jpeg, png, TYPE, webp } from "../../image_fixtures.ts";
import {
  type ApiResponse,
  type Episode,
  person,
  type Podcast,
  type RequestOptions,
  sendRequest,
  sql,
  stackInfo,
  waitFor,
} from "../harness.ts";

/** Each image type's limits, the smallest square or strip that each type accepts, and the image's column. */
export const SPEC = {
  cover: {
    formats: ["jpeg", "png"],
    maxSize: 5_242_880,
    dimensions: { width: 3000, height: 3000, minWidth: 1400, minHeight: 1400 },
    least: { width: 1400, height: 1400 },
    column: "cover_image_url",
  },
  header: {
    formats: ["jpeg", "png", "webp"],
    maxSize: 2_097_152,
    dimensions: { width: 1920, height: 300, minWidth: 1200, minHeight: 200 },
    least: { width: 1280, height: 200 },
    column: "header_image_url",
  },
  banner: {
    formats: ["jpeg", "png", "webp"],
    maxSize: 2_097_152,
    dimensions: { width: 1200, height: 630, minWidth: 600, minHeight: 315 },
    least: { width: 600, height: 315 },
    column: "banner_image_url",
  },
  episode_cover: {
    formats: ["jpeg", "png"],
    maxSize: 5_242_880,
    dimensions: { width: 3000, height: 3000, minWidth: 1400, minHeight: 1400 },
    least: { width: 1400, height: 1400 },
    column: "cover_image_url",
  },
} as const;

export type ImageType = keyof typeof SPEC;
export type Format = keyof typeof TYPE;
export const TYPES = Object.keys(SPEC) as ImageType[];
export const EXTENSION = { jpeg: "jpg", png: "png", webp: "webp" } as const;
export const makeImage = { jpeg, png, webp };
export const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
export const FOREVER = "public, max-age=31536000, immutable";

/** The public URL of an object, without ?v=. */
export const publicUrl = (path: string) => `${stackInfo.url}/storage/v1/object/public/media/${path}`;

/** An image that this type accepts, with different bytes on each call. */
export function picture(imageType: ImageType, format: Format = "png", bytes?: number): Uint8Array {
  const size = bytes ?? 40_000 + Math.floor(Math.random() * 20_000);
  return makeImage[format]({ ...SPEC[imageType].least, bytes: size });
}

export interface Upload extends Partial<Omit<RequestOptions, "body">> {
  /** The format of the image if there is no body. */
  format?: Format;
  body?: Uint8Array | ReadableStream<Uint8Array>;
  /** Content-Type if it differs from the format's. */
  type?: string;
  /** Adds, replaces or (undefined) omits parameters. */
  query?: Record<string, string | undefined>;
}

/** The request: an image of the podcast, or an episode's cover. */
export function upload(
  podcast: Podcast,
  image: Exclude<ImageType, "episode_cover"> | Episode,
  { format = "png", type = TYPE[format], body, query, ...rest }: Upload = {},
): RequestOptions {
  const imageType = typeof image === "string" ? image : "episode_cover";
  const place = typeof image === "string" ? {} : { episodeId: image.id };
  const params = { podcastId: podcast.id, imageType, ...place, ...query };
  const search = new URLSearchParams(Object.entries(params).filter((entry): entry is [string, string] => !!entry[1]));
  return {
    method: "PUT",
    path: `/api/media/upload/${crypto.randomUUID()}?${search}`,
    as: "admin",
    body: body ?? picture(imageType, format),
    ...rest,
    headers: { "content-type": type, ...rest.headers },
  };
}

export const put = (...args: Parameters<typeof upload>): Promise<ApiResponse> => sendRequest(upload(...args));

/** Uploads an image; fails unless the upload succeeds. */
export async function uploaded(...args: Parameters<typeof upload>): Promise<{ path: string; publicUrl: string }> {
  const { status, body, text } = await put(...args);
  assert.equal(status, 200, text);
  return body;
}

/** A body of these bytes without a length. */
export function stream(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      if (sent === bytes.length) return controller.close();
      controller.enqueue(bytes.slice(sent, sent += Math.min(65_536, bytes.length - sent)));
    },
  });
}

/** The stored objects of the podcast, or of a folder of it: `images/cover/`, `e/{id}/`. Without copies of images. */
export async function objects(podcast: Podcast, below = ""): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select name from storage.objects
    where bucket_id = 'media' and starts_with(name, ${`podcasts/${podcast.id}/${below}`})
      and name not like '%/derived/%' order by created_at, name`;
  return rows.map(({ name }) => name);
}

export const coversOf = (podcast: Podcast, episode: Episode) => objects(podcast, `e/${episode.id}/images/`);

/** The value of an image column of the podcast, or of the episode's cover column. */
export async function named(podcast: Podcast, image: string | Episode): Promise<string | null> {
  const [row] = typeof image === "string"
    ? await sql`select ${sql(`${image}_image_url`)} as url from public.podcasts where id = ${podcast.id}`
    : await sql`select cover_image_url as url from public.episodes where id = ${image.id} and podcast_id = ${podcast.id}`;
  return row.url;
}

/** Writes a column past the guard of image columns, as for a row that is older than the guard. */
export async function plant(table: "podcasts" | "episodes", { id }: { id: string }, url: string) {
  const trigger = table === "podcasts" ? "t330_guard_images" : "t330_guard_cover";
  await sql.begin(async (t) => {
    await t.unsafe(`alter table public.${table} disable trigger ${trigger}`);
    await t`update ${t(`public.${table}`)} set cover_image_url = ${url} where id = ${id}`;
    await t.unsafe(`alter table public.${table} enable trigger ${trigger}`);
  });
}

/** The ledger's rows of the podcast's objects: charged (live) or waiting for the sweep. */
export async function ledger(podcast: Podcast): Promise<{ path: string; bytes: number; live: boolean }[]> {
  return [
    ...await sql<{ path: string; bytes: number; live: boolean }[]>`
    select path, bytes::int, released_at is null as live from private.media_objects
    where podcast_id = ${podcast.id} order by created_at, path`,
  ].map((row) => ({ ...row }));
}

/** A user name that no other test uses, for assertions about an account. */
export const newUserName = (name: string) => `${name}-${crypto.randomUUID().slice(0, 8)}`;

/** The storage usage of this person's account. */
export async function storageUsed(name: string): Promise<number> {
  const { id } = await person(name);
  const [{ used }] =
    await sql`select storage_bytes_used::int as used from public.billing_accounts where user_id = ${id}`;
  return used;
}

/** Sets the storage usage of an account without changing the ledger. */
export async function assertStorageUsed(name: string, bytes: number, t: postgres.Sql | postgres.TransactionSql = sql) {
  const { id } = await person(name);
  await t`update public.billing_accounts set storage_bytes_used = ${bytes} where user_id = ${id}`;
}

/** Starts an upload, runs a change once it has stored its object, and then lets it finish. */
export async function duringRequest(
  podcast: Podcast,
  start: () => Promise<ApiResponse>,
  change: (t: postgres.TransactionSql) => Promise<unknown>,
): Promise<ApiResponse> {
  const before = (await objects(podcast)).length;
  let response!: Promise<ApiResponse>;
  await sql.begin(async (t) => {
    await t`select from public.podcasts where id = ${podcast.id} for update`; // finishing begins with this lock
    response = start();
    await waitFor("the bytes are stored", async () => (await objects(podcast)).length > before);
    await change(t);
  });
  return await response;
}

/** Asserts equal bytes: assert.deepEqual would take seconds for an image. */
export const assertSame = (actual: Uint8Array, expected: Uint8Array) =>
  assert.ok(Buffer.from(actual).equals(expected), `${actual.length} bytes, not the ${expected.length} expected`);

/** Asserts that the object's public URL returns an error. */
export async function assertGone(path: string) {
  const response = await fetch(publicUrl(path));
  await response.body?.cancel();
  assert.ok(response.status === 400 || response.status === 404, `${response.status} ${path}`);
}

const storage =
  createClient(stackInfo.url, stackInfo.secretKey, { auth: { persistSession: false, autoRefreshToken: false } })
    .storage;

/** Stores an object with the service key, without an upload. */
export async function stored(path: string, bytes: Uint8Array, contentType: string): Promise<string> {
  const { error } = await storage.from("media").upload(path, bytes, { contentType });
  assert.equal(error, null);
  return path;
}

/** Stores a profile image and finishes it as an import does, because no upload accepts it. */
export async function profile(podcast: Podcast, format: Format = "webp") {
  const bytes = makeImage[format]({ width: 200, height: 200, bytes: 5000 }), image = { width: 200, height: 200 };
  const path = `podcasts/${podcast.id}/images/profile/${crypto.randomUUID()}.${EXTENSION[format]}`;
  await stored(path, bytes, TYPE[format]);
  const { id } = await person("admin");
  await sql`select private.finish_image_upload(${id}, ${podcast.id}, 'profile', ${path}, ${bytes.length},
    ${TYPE[format]}, ${JSON.stringify(image)}::text::jsonb)`;
  return path;
}
