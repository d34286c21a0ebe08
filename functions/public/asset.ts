/** Sends browser code as `npm run build` wrote it, compressed if the client accepts gzip. */
import type { Context } from "hono";
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";
import type { AppEnv } from "../app/app.ts";
import type { BuiltAsset } from "../app/built_assets.ts";
import { etagMatches, NO_TRANSFORM } from "../app/reply.ts";
import { prefersGzip } from "../app/accept.ts";

/** Returns a handler that keeps both representations in memory. Each has a strong ETag of its own. */
export function assetHandler({ contentType, etag, gzip }: BuiltAsset, cacheControl: string) {
  // plain arrays, because a Buffer as the body of a response costs a tenth more
  const [compressed, plain] = [Buffer.from(gzip, "base64"), gunzipSync(Buffer.from(gzip, "base64"))]
    .map((bytes) => new Uint8Array(bytes));
  const etags = { gzip: `"${etag}-gzip"`, plain: `"${etag}"` };
  return (c: Context<AppEnv>): Response => {
    const isGzip = prefersGzip(c.req.header("accept-encoding")), bytes = isGzip ? compressed : plain;
    const headers: Record<string, string> = {
      "content-type": contentType,
      "cache-control": `${cacheControl}, ${NO_TRANSFORM}`,
      "etag": isGzip ? etags.gzip : etags.plain,
      "vary": "accept-encoding",
      "cross-origin-resource-policy": "cross-origin",
      ...isGzip && { "content-encoding": "gzip" },
    };
    // Both mean the same content, so If-None-Match accepts either
    const known = c.req.header("if-none-match");
    if (Object.values(etags).some((each) => etagMatches(known, each))) {
      return new Response(null, { status: 304, headers });
    }
    return new Response(bytes, { headers: { ...headers, "content-length": String(bytes.length) } });
  };
}
