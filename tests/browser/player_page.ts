// A page of another site that embeds the player of the running stack, with audio, chapters and transcripts of its own.
import { playerTexts } from "../../functions/text/languages/all.ts";
import { LANGUAGES } from "../../functions/text/languages/texts.ts";
import { stackInfo } from "../http/harness.ts";
import { startHttpServer } from "../http_server.ts";
import { waitFor } from "../wait_for.ts";
import type { Page } from "./guest_page.ts";

export const SCRIPT = `${stackInfo.functionsUrl}/public/player/v1.js`;
export const EPISODE_ID = "7d9a1c1e-0000-4000-8000-000000000001";
export const PHONE = { width: 390, height: 844 };

/** Silence of ten minutes: a WAV file of 8,000 bytes a second. */
export const SECONDS = 600;
const wav = silence(SECONDS);

function silence(seconds: number): Uint8Array {
  const rate = 8000, bytes = new Uint8Array(44 + rate * seconds).fill(128), view = new DataView(bytes.buffer);
  for (const [at, text] of [[0, "RIFF"], [8, "WAVE"], [12, "fmt "], [36, "data"]] as const) {
    bytes.set(new TextEncoder().encode(text), at);
  }
  for (const [at, value] of [[4, bytes.length - 8], [16, 16], [24, rate], [28, rate], [40, rate * seconds]] as const) {
    view.setUint32(at, value, true);
  }
  for (const [at, value] of [[20, 1], [22, 1], [32, 1], [34, 8]] as const) view.setUint16(at, value, true);
  return bytes;
}

/** A file as storage returns it: whole, or a range with 206. */
function rangeOf(bytes: Uint8Array, range: string | null, type: string): Response {
  const headers = { "content-type": type, "accept-ranges": "bytes" };
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? "") ?? [];
  if (!from) return new Response(bytes, { headers });
  const part = bytes.subarray(Number(from), to ? Number(to) + 1 : undefined);
  const contentRange = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`;
  return new Response(part, { status: 206, headers: { ...headers, "content-range": contentRange } });
}

export const CHAPTERS = [
  { startTime: 0, title: "Intro" },
  { startTime: 60, title: "Sleeping cars", url: "https://x.example/cars" },
  { startTime: 200, title: "A picture", toc: false },
  { startTime: 300, title: "Borders", url: "javascript:alert(1)" },
];
/** The file has them in another order, as it may. */
export const SEGMENTS = Array.from({ length: 100 }, (_, i) => ({
  startTime: i * 6,
  endTime: i * 6 + 6,
  speaker: i % 2 ? "Ilse" : "Mara",
  body: `This is line ${i}.`,
}));

/** The podcast's episodes in pages of 25, the newest first, as a list of /v1 has them. */
export const EPISODE_COUNT = 55;

function pageOfEpisodes(url: string, options: Options, cursor: string | null) {
  const from = Number(cursor ?? 0), isLast = from + 25 >= EPISODE_COUNT;
  const { episode } = mediaOf(url, options);
  const data = Array.from({ length: isLast ? EPISODE_COUNT - from : 25 }, (_, i) => ({
    ...episode,
    ...from + i > 0 && { id: `episode-${from + i}`, title: `Episode ${EPISODE_COUNT - from - i}`, chapters: null },
    publishedAt: new Date(Date.UTC(2026, 5, 30 - from - i)).toISOString(),
  }));
  return { success: true, data, pagination: { nextCursor: isLast ? null : String(from + 25), hasMore: !isLast } };
}

/** Episode and podcast as in /v1, with all that the player shows. */
export function mediaOf(url: string, changes: { podcast?: object; episode?: object } = {}) {
  return {
    podcast: {
      slug: "night-trains",
      title: "Night Trains",
      language: "en",
      link: "https://x.example/",
      listenUrl: "https://x.example/listen/night-trains",
      feedUrl: "https://x.example/feeds/night-trains.xml",
      coverImageUrl: null,
      funding: [{ url: "https://x.example/support", text: "Become a member" }],
      ...changes.podcast,
    },
    episode: {
      id: EPISODE_ID,
      podcastSlug: "night-trains",
      title: "The sleeper to Vienna: what it takes to run a train through the night",
      durationSeconds: SECONDS,
      audioUrl: `${url}/audio.wav`,
      coverImageUrl: null,
      listenUrl: "https://x.example/listen/night-trains/vienna",
      embedUrl: `https://x.example/ep/${EPISODE_ID}`,
      credits: [
        { name: "Mara Winter", roleLabel: "Host", avatarUrl: null, externalUrl: "https://x.example/mara" },
        { name: "Ilse van der Berg", roleLabel: "Guest", avatarUrl: null, externalUrl: "javascript:alert(1)" },
      ],
      transcripts: [{
        id: "t1",
        language: "en",
        url: `${url}/t1.vtt`,
        formats: [{ type: "application/json", url: `${url}/transcripts/t1.json` }],
      }],
      chapters: { url: `${url}/chapters/${EPISODE_ID}.json`, type: "application/json+chapters" },
      ...changes.episode,
    },
  };
}

interface Options {
  /** Of the element. */
  attributes?: string;
  /** Data in the page; null for an element without. */
  media?: object | null;
  podcast?: object;
  episode?: object;
  style?: string;
  /** Of the html element. */
  html?: string;
  /** Behind the element. */
  body?: string;
  /** Behind the page's address. */
  hash?: string;
  headers?: Record<string, string>;
  /** The file /audio.mp3. */
  mp3?: Uint8Array;
  /** The data come from the stack, and the script is a module. */
  isOfStack?: true;
  /** The browser runs no scripts. */
  isScriptless?: true;
}

export interface Site extends AsyncDisposable {
  url: string;
  /** Path and range of each request but for the page. */
  requests: string[];
  /** Statuses of requests that fail, by the beginning of path and range. */
  failures: Map<string, number>;
}

/** Opens the page and waits for the player's data. The site is the player's API too. */
export async function open(page: Page, options: Options = {}): Promise<Site> {
  const requests: string[] = [], failures = new Map<string, number>(), cors = { "access-control-allow-origin": "*" };
  const documents: Record<string, (query: URLSearchParams) => object> = {
    [`/chapters/${EPISODE_ID}.json`]: () => ({ version: "1.2.0", chapters: CHAPTERS }),
    "/transcripts/t1.json": () => ({ version: "1.0.0", segments: SEGMENTS.toReversed() }),
    [`/v1/episodes/${EPISODE_ID}`]: () => ({ success: true, data: mediaOf(url, options).episode }),
    ...Object.fromEntries(
      LANGUAGES.map((language) => [`/player/texts/${language}.json`, () => playerTexts(language)]),
    ),
    "/v1/podcasts/night-trains": () => ({ success: true, data: mediaOf(url, options).podcast }),
    "/v1/podcasts/night-trains/episodes/latest": () => ({ success: true, data: mediaOf(url, options).episode }),
    "/v1/podcasts/night-trains/episodes": (query) => pageOfEpisodes(url, options, query.get("cursor")),
  };
  for (const language of LANGUAGES) documents[`/player/texts/${language}.json`] = () => playerTexts(language);
  const server = startHttpServer((request) => {
    const { pathname, searchParams } = new URL(request.url), range = request.headers.get("range");
    if (pathname === "/") {
      return new Response(pageText(url, options), {
        headers: { "content-type": "text/html; charset=utf-8", ...options.headers },
      });
    }
    const line = [pathname, range].filter(Boolean).join(" ");
    requests.push(line);
    const status = [...failures].find(([prefix]) => line.startsWith(prefix))?.[1];
    if (status) return new Response(null, { status, headers: cors });
    if (pathname === "/audio.wav") return rangeOf(wav, range, "audio/wav");
    if (pathname === "/audio.mp3") return rangeOf(options.mp3!, range, "audio/mpeg");
    if (documents[pathname]) return Response.json(documents[pathname](searchParams), { headers: cors });
    return new Response(null, { status: 404, headers: cors });
  });
  const { url } = server;
  await page.goto(`${url}/${options.hash ?? ""}`);
  if (!options.isScriptless) await waitUntil(page, "!player.matches(':not(:defined)')");
  return { url, requests, failures, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** The element with its data. */
export function elementText(url: string, { attributes = "", media, isOfStack, ...data }: Options = {}) {
  const inline = media === null ? "" : JSON.stringify(media ?? mediaOf(url, data)).replaceAll("<", "\\u003c");
  return `<castbase-player ${isOfStack ? "" : `api-url="${url}"`} ${attributes}>${
    inline && `<script type="application/json">${inline}</script>`
  }<audio controls></audio></castbase-player>`;
}

function pageText(url: string, options: Options) {
  const { style = "", html = 'lang="en"', body = "", isOfStack } = options;
  return `<!doctype html>
<html ${html}>
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <title>Embedding page</title>
  <link rel="icon" href="data:,">
  <script src="${SCRIPT}" async${isOfStack ? ' type="module"' : ""}></script>
  <style>body { margin: 0; color-scheme: light dark } ${style}</style>
</head>
<body><main><h1>Embedding page</h1>
  ${elementText(url, options)}${body}
</main></body>
</html>`;
}

/** Evaluates an expression with the page's first player as `player`. */
export const evaluate = <T>(page: Page, expression: string): Promise<T> =>
  page.evaluate(`(async () => { const player = document.querySelector("castbase-player"); return ${expression}; })()`);

/** Waits until an expression of `player` is true. */
export const waitUntil = (page: Page, expression: string) =>
  waitFor(expression, () => evaluate<boolean>(page, expression));

/** The play button while the player is paused. */
export const play = (page: Page) => page.getByRole("button", { name: "Play", exact: true });

export const press = (page: Page, name: string, options: { exact?: boolean } = { exact: true }) =>
  page.getByRole("button", { name, ...options }).click();

/** Records the names and details of events in `window.events`. */
export const recordEvents = (page: Page, ...names: string[]) =>
  page.addInitScript((names) => {
    const target = globalThis as unknown as { events: unknown[]; addEventListener: typeof addEventListener };
    target.events = [];
    for (const name of names) {
      target.addEventListener(`castbase-${name}`, (event) => target.events.push([name, (event as CustomEvent).detail]));
    }
  }, names);
