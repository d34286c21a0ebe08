/** Removes the Content-Encoding of a response (RFC 9110, 8.4): some servers compress although identity was requested. */
import { DecompressionError, gunzipIfGzip, inflateDeflate } from "../compression/inflate.ts";
import type { ByteStream } from "../compression/peek_head.ts";
import { FetchError } from "./fetch_error.ts";

const decoders: Record<string, (body: ByteStream) => Promise<ByteStream>> = {
  gzip: gunzipIfGzip,
  "x-gzip": gunzipIfGzip,
  deflate: inflateDeflate,
};

/** Registered codings that are not decoded here. Other words, such as aws-chunked or utf-8, name no coding. */
const OTHER_CODINGS = ["br", "zstd", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip", "aes128gcm"];

/** Encodings in a row: servers apply one, proxies may add another. */
const MAX_CODINGS = 4;

/** How much longer than its content the compressed form may be; a reader limits the content only. */
const MAX_EXTRA_BYTES = 65_536;

/** The codings of a body, outermost last. Throws FetchError for one that cannot be decoded. */
export function codingsOf(headers: Headers): string[] {
  const names = (headers.get("content-encoding") ?? "").toLowerCase().split(",").map((name) => name.trim());
  const other = names.find((name) => OTHER_CODINGS.includes(name));
  if (other) {
    throw new FetchError(
      "FETCH_FAILED",
      `The server compressed its response in a way that was not asked for: ${other}`,
    );
  }
  const codings = names.filter((name) => Object.hasOwn(decoders, name));
  if (codings.length <= MAX_CODINGS) return codings;
  throw new FetchError("FETCH_FAILED", "The server compressed its response too many times");
}

/** The content of a body. Reading it throws FetchError if the compressed form is damaged or cut off. */
export function decodeContent(body: ReadableStream<Uint8Array>, codings: string[]): ReadableStream<Uint8Array> {
  const content = decode(body, codings);
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await content.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await content.return(undefined);
      await body.cancel().catch(() => {}); // a generator that has not begun does not end its source
    },
  }, { highWaterMark: 0 });
}

async function* decode(body: ByteStream, codings: string[]): AsyncGenerator<Uint8Array> {
  let [received, returned] = [0, 0];
  async function* limited(): ByteStream & AsyncGenerator<Uint8Array> {
    for await (const bytes of body) {
      received += bytes.length;
      // empty parts are content of no length, without end
      if (received > 2 * returned + MAX_EXTRA_BYTES + bytes.length) {
        throw new DecompressionError("too many empty parts");
      }
      yield bytes;
    }
  }
  try {
    let content: ByteStream = limited();
    for (const name of codings.toReversed()) content = await decoders[name](content);
    for await (const bytes of content) {
      returned += bytes.length;
      if (bytes.length) yield bytes;
    }
  } catch (cause) {
    if (!(cause instanceof DecompressionError)) throw cause;
    throw new FetchError("FETCH_FAILED", "The compressed response is damaged or incomplete", { cause });
  }
}
