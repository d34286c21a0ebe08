/** Serves artwork from the loopback interface, imports and moves it, and asserts what is stored. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { type Peer, startPeer, type Visit } from "../../safe_fetch/peer.ts";
import { ascii, joined, TYPE } from "../../image_fixtures.ts";
import {
  addMember,
  type ApiResponse,
  assertError,
  person,
  type Podcast,
  podcast,
  type RequestOptions,
  sendRequest,
  sql,
} from "../harness.ts";
import { FOREVER, type Format, makeImage, newUserName, publicUrl, SPEC, storageUsed } from "./images.ts";

export const IMPORT = "/api/media/import-artwork";
export const MOVE = "/api/media/move-artwork";

export const TYPES = ["cover", "header", "banner", "profile"] as const;
export type ArtworkType = typeof TYPES[number];
/** The smallest image that each type accepts. */
export const MIN_SIZES = {
  cover: SPEC.cover.least,
  header: SPEC.header.least,
  banner: SPEC.banner.least,
  profile: { width: 200, height: 200 },
};

/** An image that this type accepts, with different bytes on each call. */
export function picture(imageType: ArtworkType, format: Format = "jpeg", bytes?: number): Uint8Array {
  return makeImage[format]({ ...MIN_SIZES[imageType], bytes: bytes ?? 40_000 + Math.floor(Math.random() * 20_000) });
}

// Sources

export type Source = Peer;

/** Starts a source that may be fetched until the end of the scope; it sends these bytes or runs the callback. */
export async function source(response: Uint8Array | string | ((visit: Visit) => unknown)): Promise<Source> {
  const respond = typeof response === "function" ? response : ({ send }: Visit) => send(response);
  const made = startPeer(respond);
  await allow(made.host);
  return {
    ...made,
    async [Symbol.asyncDispose]() {
      await disallow(made.host);
      await made[Symbol.asyncDispose]();
    },
  };
}

/** Adds a host to `fetch_allowed_hosts`, and keeps those of other tests. */
export const allow = (host: string) =>
  sql`update private.settings set value = concat_ws(',', nullif(value, ''), ${host}::text)
    where key = 'fetch_allowed_hosts'`;

/** Removes a host from `fetch_allowed_hosts`. */
export const disallow = (host: string) =>
  sql`update private.settings set value = nullif(array_to_string(array_remove(string_to_array(value, ','),
    ${host}), ','), '') where key = 'fetch_allowed_hosts'`;

/** An HTTP response. Without a length its body ends with the connection; without a type it has no Content-Type. */
export function httpResponse(
  body: Uint8Array,
  { status = 200, type, length = body.length }: { status?: number; type?: string; length?: number | null } = {},
): Uint8Array {
  const lines = [`HTTP/1.1 ${status} So`];
  if (type !== undefined) lines.push(`content-type: ${type}`);
  if (length !== null) lines.push(`content-length: ${length}`);
  return joined(ascii([...lines, "", ""].join("\r\n")), body);
}

/** A complete, correct response with an image. */
export const served = (imageType: ArtworkType, format: Format = "jpeg", bytes?: number) =>
  httpResponse(picture(imageType, format, bytes), { type: TYPE[format] });

export const redirect = (location: string, status = 302) => `HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\n\r\n`;

// Imports and moves

export type As = RequestOptions["as"];

export const importing = (as: As, json: Record<string, unknown>): Promise<ApiResponse> =>
  sendRequest({ method: "POST", path: IMPORT, as, json });

export interface Imported {
  path: string;
  publicUrl: string;
  dimensions: { width: number; height: number };
  isTemporary: boolean;
  /** The imported bytes. */
  bytes: Uint8Array;
}

/** Imports this image from a new source; fails unless the import succeeds. */
export async function imported(
  as: As,
  imageType: ArtworkType,
  { podcast, format = "jpeg", bytes = picture(imageType, format) }: {
    podcast?: Podcast;
    format?: Format;
    bytes?: Uint8Array;
  } = {},
): Promise<Imported> {
  await using from = await source(httpResponse(bytes, { type: TYPE[format] }));
  const { status, body, text } = await importing(as, { url: from.url, imageType, podcastId: podcast?.id });
  assert.equal(status, 200, text);
  return { ...body, bytes };
}

export const moving = (as: As, sourcePath: string, podcast: Podcast, imageType: string): Promise<ApiResponse> =>
  sendRequest({ method: "POST", path: MOVE, as, json: { sourcePath, podcastId: podcast.id, imageType } });

// Stored objects

/** Asserts that the object is served with the source's bytes and the service's headers. */
export async function assertServed(url: string, bytes: Uint8Array, format: Format) {
  const response = await fetch(url);
  assert.equal(response.status, 200, url);
  assert.equal(Buffer.compare(new Uint8Array(await response.arrayBuffer()), bytes), 0, "other bytes"); // deepEqual is slow
  assert.equal(response.headers.get("content-type"), TYPE[format]);
  assert.equal(response.headers.get("cache-control"), FOREVER);
}

/** The stored imported artwork of this person. */
export async function importsOf(name: string): Promise<string[]> {
  const { id } = await person(name);
  const rows = await sql<{ name: string }[]>`select name from storage.objects
    where bucket_id = 'media' and starts_with(name, ${`imports/${id}/`}) order by created_at, name`;
  return rows.map(({ name }) => name);
}

/** The objects without a podcast that the ledger charges to this person. */
export async function temporaryObjects(name: string): Promise<string[]> {
  const { id } = await person(name);
  const rows = await sql<{ path: string }[]>`select path from private.media_objects
    where account_id = ${id} and usage = 'temporary' and released_at is null order by created_at, path`;
  return rows.map(({ path }) => path);
}

/** The ledger's row of an object. */
export async function entry(path: string) {
  const [row] = await sql`select account_id, podcast_id, usage, bytes::int, content_type, width, height,
    released_at is null as live from private.media_objects where path = ${path}`;
  return row && { ...row };
}

/** The bytes that still fit into an account. */
export async function remainingAllowance(name: string): Promise<number> {
  const { id } = await person(name);
  const [{ room }] = await sql`select (private.storage_allowance_bytes(user_id) - storage_bytes_used)::int as room
    from public.billing_accounts where user_id = ${id}`;
  return room;
}

/** Imports as a new user; asserts that rejected imports store nothing and that accepted ones are served unchanged. */
export async function importer() {
  const unlucky = newUserName("unlucky"), me = await person(unlucky), keeper = await person(newUserName("keeper"));
  return {
    /** Asserts a rejection that reveals nothing about our network. */
    async assertRejected(url: string, expected: Record<string, unknown>, imageType: ArtworkType = "cover") {
      const response = await importing(me, { url, imageType });
      assertError(response, 400, expected);
      assert.doesNotMatch(response.text, /\d+\.\d+\.\d+|localhost|::|os error|secret/i);
      assert.deepEqual([await importsOf(unlucky), await temporaryObjects(unlucky)], [[], []]);
    },
    /** Asserts that the import succeeds, with this format. */
    async taken(url: string, bytes: Uint8Array, format: Format, imageType: ArtworkType = "cover") {
      const { status, body, text } = await importing(keeper, { url, imageType });
      assert.equal(status, 200, text);
      await assertServed(body.publicUrl, bytes, format);
    },
  };
}

/** A new user with a podcast and an admin, which no other test uses. */
export async function podcastWithTeam(title: string) {
  const owner = newUserName("host"),
    admin = newUserName("helper"),
    home = await podcast(title, owner),
    as = await person(admin);
  await addMember(home, as, "admin");
  return { owner, admin, home, as };
}

/** Asserts that this person's only import is unchanged: stored, charged and temporary. */
export async function assertKept(name: string, { path, bytes }: { path: string; bytes: Uint8Array }) {
  assert.deepEqual(await importsOf(name), [path]);
  assert.deepEqual(await temporaryObjects(name), [path]);
  assert.equal(await storageUsed(name), bytes.length);
  await assertServed(publicUrl(path), bytes, "jpeg");
}
