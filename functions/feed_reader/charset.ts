/**
 * The text of a feed. Its character set is what its first bytes say (a byte order mark), then its Content-Type, then
 * its XML declaration, then what it looks like (RFC 7303, 3; XML 1.0, appendix F). Names are those of the Encoding
 * Standard: ISO-8859-1 and US-ASCII mean windows-1252, as in browsers.
 */
import { stripControls } from "../text/control.ts";
import { type ByteStream, peekHead } from "./peek_head.ts";
import { oncePerCode, type WarnFn } from "./warn.ts";
import { decodeUtf8, isMostlyUtf8 } from "./utf8.ts";

/** In bytes: enough for a declaration, and to see what a text looks like. */
const HEAD_BYTES = 4096;

export async function* decodeStream(
  bytes: ByteStream,
  contentType: string | null | undefined,
  warnEach: WarnFn,
): AsyncGenerator<string> {
  const warn = oncePerCode(warnEach); // how often it happens depends on how the document comes
  const { head, all } = await peekHead(bytes, HEAD_BYTES);
  const charset = detectCharset(head, contentType, warn);
  if (charset === "utf-8") return yield* decodeUtf8(all, warn);
  const decoder = new TextDecoder(charset);
  const onRemoved = () => warn("CONTROL_CHARACTERS");
  for await (const chunk of all) yield stripControls(decoder.decode(chunk, { stream: true }), onRemoved);
  yield stripControls(decoder.decode(), onRemoved);
}

function detectCharset(head: Uint8Array, contentType: string | null | undefined, warn: WarnFn): string {
  const bom = BOMS.find(([begin]) => begin.every((byte, at) => head[at] === byte));
  if (bom) return bom[1];
  const wide = WIDE.find(([begin]) => begin.every((byte, at) => (head[at] === 0) === (byte === 0)))?.[1];
  const ascii = new TextDecoder("latin1").decode(head.subarray(0, 1024));
  for (const name of [HEADER.exec(contentType ?? "")?.[1], DECLARATION.exec(ascii)?.[1]]) {
    const charset = name && knownCharset(name, warn);
    // what can be read as single bytes is no UTF-16, and the other way round
    if (charset && charset.startsWith("utf-16") === Boolean(wide)) return wide ?? charset;
  }
  if (wide || isMostlyUtf8(head)) return wide ?? "utf-8";
  warn("CHARSET_MISMATCH");
  return "windows-1252";
}

function knownCharset(name: string, warn: WarnFn): string | undefined {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    warn("CHARSET_UNKNOWN", name);
  }
}

const BOMS: [number[], string][] = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
];
/** Where the zeros are when a `<` and another ASCII character come in two bytes each. */
const WIDE: [number[], string][] = [[[1, 0, 1, 0], "utf-16le"], [[0, 1, 0, 1], "utf-16be"]];
const HEADER = /;\s*charset\s*=\s*["']?([^\s;"']+)/i;
const DECLARATION = /<\?xml[^>]*\sencoding\s*=\s*["']\s*([^\s"'>]+)/i;
