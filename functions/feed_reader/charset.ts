/**
 * Decodes a feed. Its character set is given by the byte order mark, else by Content-Type, else by the XML
 * declaration, else by the content (RFC 7303, 3; XML 1.0, appendix F). Names are those of the Encoding Standard:
 * ISO-8859-1 and US-ASCII mean windows-1252, as in browsers.
 */
import { stripControls } from "../text/control.ts";
import { type ByteStream, peekHead } from "../compression/peek_head.ts";
import { oncePerCode, type WarnFn } from "./warn.ts";
import { decodeUtf8, isMostlyUtf8 } from "./utf8.ts";

/** In bytes: enough to find the declaration and to detect the character set. */
const HEAD_BYTES = 4096;

export async function* decodeStream(
  bytes: ByteStream,
  contentType: string | null | undefined,
  warnEach: WarnFn,
): AsyncGenerator<string> {
  const warn = oncePerCode(warnEach); // the number of occurrences depends on the chunks
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
    // text that reads as single bytes is not UTF-16, and vice versa
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
/** Positions of the zero bytes when `<` and another ASCII character take two bytes each. */
const WIDE: [number[], string][] = [[[1, 0, 1, 0], "utf-16le"], [[0, 1, 0, 1], "utf-16be"]];
const HEADER = /;\s*charset\s*=\s*["']?([^\s;"']+)/i;
const DECLARATION = /<\?xml[^>]*\sencoding\s*=\s*["']\s*([^\s"'>]+)/i;
