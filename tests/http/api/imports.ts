/** Feeds as tests write and serve them from the loopback interface, and imports of them. */
import assert from "node:assert/strict";
import { type ApiResponse, type Podcast, podcast, type RequestOptions, sendRequest, sql, waitFor } from "../harness.ts";
import { emailsTo } from "../inbox.ts";
import { httpResponse, type Source, source } from "./artwork.ts";
import { newUserName } from "./images.ts";

export const BASE = "/api/imports";

export type As = RequestOptions["as"];

// Feeds

export interface Written {
  guid: string;
  title: string;
  /** Days after the first of January 2020. */
  day: number;
  /** Elements besides. */
  more: string;
  /** The address of the audio. */
  audio: string;
}

/** Episodes, newest first as most feeds have them: `Episode 5`, …, `Episode 1`. */
export const episodes = (count: number, audio = "https://media.invalid/a.mp3"): Written[] =>
  Array.from({ length: count }, (_, i) => count - i)
    .map((n) => ({ guid: `episode-${n}`, title: `Episode ${n}: On the line`, day: n, more: "", audio }));

const NAMESPACES = 'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" ' +
  'xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:atom="http://www.w3.org/2005/Atom"';

/** A feed with these episodes; `channel` is further channel XML. */
export function feed(items: Written[], channel = ""): string {
  const written = items.map(({ guid, title, day, more, audio }) => `
<item><guid isPermaLink="false">${guid}</guid><title>${title}</title>
<pubDate>${new Date(Date.UTC(2020, 0, 1 + day)).toUTCString()}</pubDate>
<enclosure url="${audio}" length="1000" type="audio/mpeg"/>${more}</item>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" ${NAMESPACES}><channel><title>Night Trains</title>${channel}${written.join("")}</channel></rss>`;
}

/** The owner's word that the feed is not to be moved. */
export const locked = (owner?: string) =>
  `<podcast:locked${owner === undefined ? "" : ` owner="${owner}"`}>yes</podcast:locked>`;
export const ownerEmail = (email: string) => `<itunes:owner><itunes:email>${email}</itunes:email></itunes:owner>`;

export const newAddress = () => `owner-${crypto.randomUUID()}@feeds.test`;

const encoder = new TextEncoder();

/** A feed as a good server sends it. */
export const served = (text: string) => httpResponse(encoder.encode(text), { type: "application/rss+xml" });

export interface Feed extends AsyncDisposable {
  source: Source;
  /** Its address. */
  url: string;
  /** Replaces the feed's text. */
  setText(text: string): void;
}

/** A server with one feed, which may change. */
export async function serving(text: string): Promise<Feed> {
  let respond = served(text);
  const made = await source(({ send }) => send(respond));
  return {
    source: made,
    url: `${made.url}feed.xml?show=1`,
    setText: (text) => respond = served(text),
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  };
}

// Requests

export const start = (podcast: Podcast, url: string, as: As = "admin"): Promise<ApiResponse> =>
  sendRequest({ method: "POST", path: `${BASE}/podcast`, as, json: { podcast_id: podcast.id, feed_url: url } });

/** POST …/{importId}/{what}. */
export const post = (importId: string, what: string, json?: unknown, as: As = "admin"): Promise<ApiResponse> =>
  sendRequest({ method: "POST", path: `${BASE}/${importId}/${what}`, as, json });

export const get = (importId: string, as: As = "admin"): Promise<ApiResponse> =>
  sendRequest({ method: "GET", path: `${BASE}/${importId}`, as });

export function done({ status, text, body }: ApiResponse) {
  assert.equal(status, 200, text);
  assert.deepEqual(Object.keys(body), ["success", "data"]);
  assert.equal(body.success, true);
  return body.data;
}

/** Starts an import of this feed and returns the response; into a new podcast by default. */
export async function started(text: string, into?: Podcast) {
  await using from = await serving(text);
  const show = into ?? await podcast("Imported", newUserName("imports"));
  const data = done(await start(show, from.url));
  return { show, url: from.url, data, id: data.importId as string };
}

// What is kept

/** The podcast's imports. */
export const importsOf = ({ id }: Podcast) =>
  sql`select id, status, total_items, skipped_count from public.podcast_imports where podcast_id = ${id} order by created_at`;

/** How many items of an import stand in each status. */
export async function standing(importId: string): Promise<Record<string, number>> {
  const rows = await sql<{ status: string; count: number }[]>`
    select status, count(*)::int from public.podcast_import_items where import_id = ${importId} group by status`;
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** The codes mailed to this address, oldest first. */
export async function codes(address: string): Promise<string[]> {
  return (await emailsTo(address)).map(({ Text }) => /^(\d{6})\r?$/m.exec(Text)![1]);
}

/** Waits for the `nth` code that is emailed to this address. */
export async function emailedCode(address: string, nth = 1): Promise<string> {
  await waitFor("the code comes", async () => (await codes(address)).length >= nth);
  return (await codes(address))[nth - 1];
}
