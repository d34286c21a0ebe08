/** Decodes UTF-8 with stray windows-1252 bytes, as feeds have it. */
import { inspectUtf8, stripControls } from "../text/control.ts";
import { CHUNK_BYTES } from "./decompress.ts";
import type { ByteStream } from "../compression/peek_head.ts";
import type { WarnFn } from "./warn.ts";

/** For ASCII, of which the strict one makes strings of twice the size; the strict one is faster for other text. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
const windows1252 = new TextDecoder("windows-1252");

/** The maximum carried over to the next chunk. */
const MAX_HELD_BYTES = 65_536;

/**
 * Decodes invalid bytes as windows-1252. A byte order mark becomes white space before the feed. Output is cut after
 * an item where possible, so that no text must be joined across chunks.
 */
export async function* decodeUtf8(bytes: ByteStream, warn: WarnFn): AsyncGenerator<string> {
  const buffer = new Uint8Array(MAX_HELD_BYTES + CHUNK_BYTES);
  let held = 0;
  const text = (whole: Uint8Array) => {
    const { hasControls, isAscii } = inspectUtf8(whole);
    const decoded = isAscii ? utf8.decode(whole) : decode(whole, warn);
    return hasControls ? stripControls(decoded, () => warn("CONTROL_CHARACTERS")) : decoded;
  };
  for await (const chunk of bytes) {
    buffer.set(chunk, held);
    const all = buffer.subarray(0, held + chunk.length);
    const cut = afterItem(all) || all.length - incompleteBytes(all);
    yield text(all.subarray(0, cut));
    buffer.copyWithin(0, cut, all.length);
    held = all.length - cut;
  }
  yield text(buffer.subarray(0, held));
}

/** Offset of the last `</item`, if little enough follows it; else 0. */
function afterItem(bytes: Uint8Array): number {
  for (let at = bytes.length - 6; at > Math.max(0, bytes.length - MAX_HELD_BYTES); at--) {
    if (bytes[at] === 60 && bytes[at + 1] === 47 && bytes[at + 2] === 105 && bytes[at + 3] === 116) return at;
  }
  return 0;
}

/**
 * Whether the bytes are UTF-8 with few exceptions, or ASCII; the end may be cut. One sequence outweighs four invalid
 * bytes, because text in other character sets hardly ever contains one.
 */
export function isMostlyUtf8(bytes: Uint8Array): boolean {
  const { valid, invalid } = countSequences(bytes);
  return 4 * valid >= invalid;
}

/**
 * Sequences of several bytes, and bytes that belong to none; the end may be cut. A longer sequence is less likely by
 * chance: `continuations` counts the bytes after the first ones.
 */
export function countSequences(bytes: Uint8Array): { valid: number; continuations: number; invalid: number } {
  let [valid, continuations, invalid] = [0, 0, 0];
  const whole = bytes.subarray(0, bytes.length - incompleteBytes(bytes));
  for (let at = 0; at < whole.length;) {
    const length = sequenceLength(whole, at);
    if (length > 1) [valid, continuations] = [valid + 1, continuations + length - 1];
    else if (!length) invalid++;
    at += length || 1;
  }
  return { valid, continuations, invalid };
}

/** An error costs less than searching all texts for the character that replaces invalid bytes. */
function decode(bytes: Uint8Array, warn: WarnFn): string {
  try {
    return strict.decode(bytes);
  } catch {
    return repairUtf8(bytes, warn);
  }
}

function repairUtf8(bytes: Uint8Array, warn: WarnFn): string {
  let text = "";
  let start = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (!length) {
      text += utf8.decode(bytes.subarray(start, at)) + windows1252.decode(bytes.subarray(at, at + 1));
      start = at + 1;
    }
    at += length || 1;
  }
  if (start > 0) warn("INVALID_BYTES");
  return text + utf8.decode(bytes.subarray(start));
}

/** Number of bytes at the end that begin an incomplete sequence. */
function incompleteBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return expectedLength(byte) > back ? back : 0;
  }
  return 0;
}

/** Length of the sequence that begins here, 0 if none does (RFC 3629, 4). */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  const length = expectedLength(first);
  for (let next = 1; next < length; next++) {
    if ((bytes[at + next] & 0xc0) !== 0x80) return 0;
  }
  const second = bytes[at + 1];
  const isForbidden = first === 0xe0 && second < 0xa0 || first === 0xed && second > 0x9f ||
    first === 0xf0 && second < 0x90 || first === 0xf4 && second > 0x8f;
  return isForbidden ? 0 : length;
}

function expectedLength(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
