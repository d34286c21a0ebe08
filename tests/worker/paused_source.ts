// A host whose files pause halfway until the test continues them.
import { startHttpServer } from "../http_server.ts";
import { type File, renderFeed } from "./source.ts";

export interface PausedSource extends AsyncDisposable {
  /** Value for fetch_allowed_hosts. */
  host: string;
  /** URL of a feed with these episodes, newest first. */
  feedUrl: string;
  /** Requested files and ranges. */
  requests: { name: string; range: string | null }[];
  /** Number of responses in progress. */
  underway(): number;
  /** Completes responses in progress and sends later ones immediately. */
  release(): void;
}

/** Sends so many bytes of each file, then single bytes, so that no idle timeout fires. */
export function startPausedSource(files: Record<string, File>, before: number): PausedSource {
  const requests: PausedSource["requests"] = [], released = Promise.withResolvers<void>();
  let isReleased = false, open = 0;

  async function* bytes(file: File, from: number) {
    open++;
    try {
      for (let at = from; at < file.size;) {
        const isPaused = !isReleased && at >= before;
        if (isPaused) await Promise.race([released.promise, new Promise((resolve) => setTimeout(resolve, 100))]);
        const left = isReleased ? Infinity : at < before ? before - at : 1;
        const piece = file.from(at).subarray(0, Math.min(left, file.size - at));
        yield piece;
        at += piece.length;
      }
    } finally {
      open--;
    }
  }

  const server = startHttpServer(({ url, headers }): Response => {
    const name = new URL(url).pathname.slice(1), file = files[name];
    if (!file) return new Response(feed);
    const range = headers.get("range");
    requests.push({ name, range });
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0);
    return new Response(ReadableStream.from(bytes(file, from)), {
      status: range ? 206 : 200,
      headers: {
        "content-type": "audio/mpeg",
        "accept-ranges": "bytes",
        "content-length": String(file.size - from),
        "etag": '"one"',
        ...range && { "content-range": `bytes ${from}-${file.size - 1}/${file.size}` },
      },
    });
  });
  const host = new URL(server.url).host, feedUrl = `${server.url}/feed.xml`;
  const feed: Uint8Array = renderFeed(Object.keys(files).map((name) => ({ guid: name, audio: name })), feedUrl);
  const release = () => {
    isReleased = true;
    released.resolve();
  };
  return {
    host,
    feedUrl,
    requests,
    underway: () => open,
    release,
    async [Symbol.asyncDispose]() {
      release();
      await server[Symbol.asyncDispose]();
    },
  };
}
