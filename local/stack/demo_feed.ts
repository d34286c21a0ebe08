/**
 * GET /demo/*: a small podcast feed with its audio and cover, from the project's folder, so that imports have a source
 * without internet. `{{url}}` in the feed becomes the URL of /demo on this stack.
 */
import { extname, join } from "node:path";

const TYPES: Record<string, string> = { ".xml": "application/rss+xml", ".mp3": "audio/mpeg", ".png": "image/png" };

export function createDemoFeed(folder: string, url: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const [, name] = /^\/demo\/([a-z0-9-]+\.[a-z0-9]+)$/.exec(new URL(request.url).pathname) ?? [];
    const bytes = name && await Deno.readFile(join(folder, name)).catch(() => undefined);
    if (!name || !bytes) return new Response(null, { status: 404 });
    const type = TYPES[extname(name)];
    const body = name === "feed.xml" ? new TextDecoder().decode(bytes).replaceAll("{{url}}", `${url}/demo`) : bytes;
    return new Response(body, { headers: { "content-type": type ?? "application/octet-stream" } });
  };
}
