// Imports from a misbehaving host: a stack, its source, a worker, and the outcome of each item.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { waitFor } from "../wait_for.ts";
import { startImportStack } from "./import_stack.ts";
import { type Behavior, type FeedEpisode, type File, renderFeed, type SourceRequest, startSource } from "./source.ts";
import { startWorker } from "./worker.ts";

export const MB = 1024 * 1024;

export interface Outcome {
  status: string;
  error: string | null;
  code: string | null;
  attempts: number;
  warnings: { code: string }[];
  url: string | null;
  type: string | null;
  bytes: number | null;
  cover: string | null;
  guid: string | null;
  published: string | null;
  origin: string | null;
  episodeStatus: string | null;
}

type Behaviors = Record<string, (request: SourceRequest) => Behavior>;

export async function startImports(queues = ["import_items"]) {
  /** The source's behavior by path; each test sets its own. */
  const manners = new Map<string, (request: SourceRequest) => Behavior>();
  const source = startSource((request) => manners.get(request.path)?.(request) ?? { status: 404 });
  const stack = await startImportStack([source.host]);
  const { sql } = stack;
  let worker = await startWorker(stack.at, queues);
  let imports = 0;

  /** Starts the import of a feed with these episodes and applies its cover. `prefix` begins their GUIDs. */
  async function importing(behaviors: Behaviors, more: Record<string, string> = {}, cover?: string) {
    const prefix = `${++imports}-`;
    const channel = cover === undefined ? "" : `<itunes:image href="${source.url}${cover}"/>`;
    const items: FeedEpisode[] = Object.entries(behaviors).map(([name, behave]) => {
      manners.set(`/${prefix}${name}`, behave);
      return { guid: prefix + name, audio: name.startsWith("http") ? name : prefix + name, more: more[name] };
    });
    manners.set(`/${prefix}feed.xml`, () => ({ body: renderFeed(items, source.url, channel) }));
    const id = await stack.startConfirmed(`${source.url}${prefix}feed.xml`, cover === undefined ? [] : ["image"]);
    return {
      id,
      prefix,
      requestsFor: (name: string) => source.requests.filter(({ path }) => path === `/${prefix}${name}`),
    };
  }

  const statusOf = async (id: string): Promise<string> =>
    (await sql`select status from public.podcast_imports where id = ${id}`)[0].status;

  /** The outcome of each item in feed order, once the import has ended. */
  async function ended(id: string): Promise<Outcome[]> {
    await waitFor("the import ends", async () => {
      await stack.makeMessagesVisible();
      const [{ waiting }] = await sql`select count(*)::int as waiting from pgmq.q_import_items`;
      return ["completed", "partial", "failed", "canceled"].includes(await statusOf(id)) && !waiting;
    }, 90);
    return [
      ...await sql<Outcome[]>`
      select i.status, i.error_message as error, i.error_code as code, i.attempts, i.warnings, e.audio_url as url,
        e.audio_content_type as type, e.audio_file_size_bytes::int as bytes, e.cover_image_url as cover, e.guid,
        e.published_at::text as published, e.origin, e.status as "episodeStatus"
      from public.podcast_import_items i left join public.episodes e on e.id = i.episode_id
      where i.import_id = ${id} order by i.position`,
    ];
  }

  async function imported(behaviors: Behaviors, more: Record<string, string> = {}, cover?: string) {
    const started = await importing(behaviors, more, cover);
    return { ...started, outcomes: await ended(started.id) };
  }

  /** Asserts that the database references every object of the podcast. */
  async function assertNoOrphans() {
    const orphans = await sql`
      select o.name from storage.objects o
      where o.bucket_id = 'media' and starts_with(o.name, ${`podcasts/${stack.podcastId}/`})
        and not exists (select from private.media_objects m where m.path = o.name and m.released_at is null)`;
    assert.deepEqual(orphans.map(({ name }) => name), []);
  }

  return {
    manners,
    source,
    stack,
    sql,
    importing,
    imported,
    ended,
    statusOf,
    assertNoOrphans,
    /** Kills the worker, makes its messages visible and starts another. */
    async replaceWorker() {
      await worker.kill();
      await stack.endVisibilityTimeouts();
      worker = await startWorker(stack.at, queues);
    },
    async [Symbol.asyncDispose]() {
      await worker.kill();
      await stack[Symbol.asyncDispose]();
      await source[Symbol.asyncDispose]();
    },
  };
}

/** The responses in sequence; the last one repeats. */
export const inTurn = (...behaviors: Behavior[]) => ({ before }: SourceRequest) =>
  behaviors[Math.min(before, behaviors.length - 1)];

export const audio = (body: Uint8Array | File, more: Behavior = {}): Behavior => ({
  body,
  ...more,
  headers: { "content-type": "audio/mpeg", ...more.headers },
});

/** Fetches a stored object. */
export async function served(url: string | null) {
  const response = await fetch(url!);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200);
  return { bytes, type: response.headers.get("content-type") };
}

/** All bytes of a file. */
export function bytesOf(file: File): Buffer {
  const chunks = [];
  for (let at = 0; at < file.size;) {
    const chunk = file.from(at);
    chunks.push(chunk);
    at += chunk.length;
  }
  return Buffer.concat(chunks);
}
