/**
 * Decodes a feed. Evidence beats metadata: a byte order mark, the zero bytes of UTF-16, and bytes that are UTF-8 decide
 * against any declaration. Without them Content-Type, and then the XML declaration, name the character set (RFC 7303, 3;
 * XML 1.0, appendix F). Names are those of the Encoding Standard: ISO-8859-1 and US-ASCII mean windows-1252, as in
 * browsers.
 */
import { stripControls } from "../text/control.ts";
import { type ByteStream, peekHead } from "../compression/peek_head.ts";
import { oncePerCode, type WarnFn } from "./warn.ts";
import { countSequences, decodeUtf8, isMostlyUtf8 } from "./utf8.ts";

/** In bytes: enough to find the declaration and to detect an undeclared character set. */
const HEAD_BYTES = 4096;
/** In bytes, from the first one beyond ASCII: enough to tell UTF-8 from the declared character set. */
const EVIDENCE_BYTES = 65_536;

export async function* decodeStream(
  bytes: ByteStream,
  contentType: string | null | undefined,
  warnEach: WarnFn,
): AsyncGenerator<string> {
  const warn = oncePerCode(warnEach); // the number of occurrences depends on the chunks
  const { head, all } = await peekHead(bytes, HEAD_BYTES);
  const detected = detectCharset(head, contentType, warn);
  if (detected.charset === "utf-8") yield* decodeUtf8(all, warn);
  else if (detected.isContradicted) yield* decodeByEvidence(all, detected, warn);
  else yield* decodeAs(detected.charset, all, warn);
}

interface Detected {
  charset: string;
  /** Whether bytes are UTF-8 although this character set is declared. The first ones beyond ASCII decide. */
  isContradicted?: (bytes: Uint8Array) => boolean;
}

function detectCharset(head: Uint8Array, contentType: string | null | undefined, warn: WarnFn): Detected {
  const bom = BOMS.find(([begin]) => begin.every((byte, at) => head[at] === byte));
  if (bom) return { charset: bom[1] };
  const wide = WIDE.find(([begin]) => begin.every((byte, at) => (head[at] === 0) === (byte === 0)))?.[1];
  const ascii = new TextDecoder("latin1").decode(head.subarray(0, 1024));
  // text that reads as single bytes is not UTF-16, and vice versa
  const declared = [HEADER.exec(contentType ?? "")?.[1], DECLARATION.exec(ascii)?.[1]].filter((name) => name).map(
    (name) => ({ name: name!, charset: knownCharset(name!, warn) }),
  ).filter(({ charset }) => charset && charset.startsWith("utf-16") === Boolean(wide));
  if (wide && declared.length) return { charset: wide };
  if (declared.length) {
    const [{ name, charset }] = declared, other = declared[1]?.charset;
    const isOtherKnown = charset === "utf-8" && other && other !== charset && !STATEFUL.has(other);
    if (isOtherKnown) return { charset: other, isContradicted: isMostlyUtf8 }; // the header may be the server's default
    const needed = other === "utf-8" ? 1 : neededContinuations(charset!);
    const isUtf8 = (bytes: Uint8Array) => contradicts(bytes, needed) && (warn("CHARSET_MISMATCH", name), true);
    if (charset !== "utf-8" && !STATEFUL.has(charset!)) return { charset: charset!, isContradicted: isUtf8 };
    return { charset: STATEFUL.has(charset!) && isUtf8(head) ? "utf-8" : charset! };
  }
  if (wide || isMostlyUtf8(head)) return { charset: wide ?? "utf-8" };
  warn("CHARSET_UNDECLARED");
  return { charset: "windows-1252" };
}

function knownCharset(name: string, warn: WarnFn): string | undefined {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    warn("CHARSET_UNKNOWN", name);
  }
}

async function* decodeAs(charset: string, bytes: ByteStream, warn: WarnFn): AsyncGenerator<string> {
  const decoder = new TextDecoder(charset);
  const onRemoved = () => warn("CONTROL_CHARACTERS");
  for await (const chunk of bytes) yield stripControls(decoder.decode(chunk, { stream: true }), onRemoved);
  yield stripControls(decoder.decode(), onRemoved);
}

/** The bytes beyond ASCII decide, even if the first one comes late; ASCII is the same in all of these character sets. */
async function* decodeByEvidence(
  bytes: ByteStream,
  { charset, isContradicted }: Detected,
  warn: WarnFn,
): AsyncGenerator<string> {
  const chunks = bytes[Symbol.asyncIterator]();
  try {
    for (let { value, done } = await chunks.next(); !done; { value, done } = await chunks.next()) {
      const chunk: Uint8Array = value;
      const at = chunk.findIndex((byte) => byte > 127);
      yield* decodeAs("utf-8", once(at < 0 ? chunk : chunk.subarray(0, at)), warn);
      if (at < 0) continue;
      const { head, all } = await peekHead(resume(chunk.subarray(at), chunks), EVIDENCE_BYTES);
      return yield* isContradicted!(head) ? decodeUtf8(all, warn) : decodeAs(charset, all, warn);
    }
  } finally {
    await chunks.return?.(); // abandoned early: closes the connection
  }
}

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  if (chunk.length) yield await Promise.resolve(chunk);
}

async function* resume(first: Uint8Array, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let { value, done } = await chunks.next(); !done; { value, done } = await chunks.next()) yield value;
}

/** Whether bytes are UTF-8 although another character set is declared, whose text hardly ever forms a sequence. */
function contradicts(bytes: Uint8Array, needed: number): boolean {
  const { valid, continuations, invalid } = countSequences(bytes);
  return continuations >= needed && valid > 20 * invalid;
}

/** A short sequence may be chance: the second of two letters, or of the two bytes of a character, looks like its end. */
const neededContinuations = (charset: string) => WESTERN.test(charset) ? 1 : TWO_BYTES.test(charset) ? 4 : 2;

/** Character sets in which ASCII bytes mean other characters: only bytes beyond ASCII contradict them. */
const STATEFUL = new Set(["iso-2022-jp"]);
const WESTERN = /^(?:windows-1252|windows-1254|iso-8859-15|macintosh|iso-2022-jp)$/;
const TWO_BYTES = /^(?:gb|big5|euc|shift_jis)/;

const BOMS: [number[], string][] = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
];
/** Positions of the zero bytes when `<` and another ASCII character take two bytes each. */
const WIDE: [number[], string][] = [[[1, 0, 1, 0], "utf-16le"], [[0, 1, 0, 1], "utf-16be"]];
const HEADER = /;\s*charset\s*=\s*["']?([^\s;"']+)/i;
const DECLARATION = /<\?xml[^>]*\sencoding\s*=\s*["']\s*([^\s"'>]+)/i;
