/** The lines of an uploaded text file, and errors that name one. */
import type { Repairs } from "./repairs.ts";

/** What is wrong with a file, and in which line. */
export class LineError extends Error {
  constructor(line: number, problem: string) {
    super(`Line ${line}: ${problem}`);
  }
}

/** Decodes UTF-8 without its byte order mark. Throws a LineError for other bytes and for NUL. */
export function decodeText(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes), nul = text.indexOf("\0");
  if (nul >= 0) throw new LineError(lineAt(text, nul), "expected text, but it contains a NUL character");
  return text;
}

/** Decodes UTF-8, and UTF-16 with its byte order mark; removes NUL. Throws a LineError for other bytes. */
export function decodeTranscript(bytes: Uint8Array, repairs: Repairs): string {
  const [first, second] = bytes;
  const isLittleEndian = first === 0xff && second === 0xfe,
    isUtf16 = isLittleEndian || first === 0xfe && second === 0xff;
  if (isUtf16) repairs.add("ENCODING_CONVERTED", 1);
  const text = isUtf16 ? decodeUtf16(bytes, isLittleEndian ? "utf-16le" : "utf-16be") : decodeUtf8(bytes);
  const nul = text.indexOf("\0");
  if (nul < 0) return text;
  repairs.add("CONTROL_CHARACTERS", lineAt(text, nul));
  return text.replaceAll("\0", "");
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new LineError(undecodableLine(bytes), "expected UTF-8; save the file in this encoding");
  }
}

function decodeUtf16(bytes: Uint8Array, encoding: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new LineError(1, "expected UTF-8; save the file in this encoding");
  }
}

/** The first line that is not UTF-8. The bytes of a line end occur in no other character. */
function undecodableLine(bytes: Uint8Array): number {
  for (let line = 1, start = 0;; line++) {
    const end = bytes.indexOf(0x0a, start);
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(start, end < 0 ? undefined : end));
    } catch {
      return line;
    }
    if (end < 0) return line;
    start = end + 1;
  }
}

/** The number of the line that contains this index. */
export function lineAt(text: string, index: number): number {
  const lines = new Lines(text);
  while (lines.next() !== undefined && lines.end <= index);
  return lines.number;
}

/** Reads a text line by line; CR LF, LF and CR end a line. */
export class Lines {
  /** Of the line that `next` returned, from 1. */
  number = 0;
  /** Where the next line begins. */
  end = 0;
  #lf = -1;
  #cr = -1;

  constructor(readonly text: string) {}

  /** The next line without its end; undefined after the last. */
  next(): string | undefined {
    const start = this.end;
    if (start > this.text.length) return;
    // each search continues where the last one ended, so that reading all lines is linear
    if (this.#lf < start) this.#lf = this.#find("\n", start);
    if (this.#cr < start) this.#cr = this.#find("\r", start);
    const end = Math.min(this.#lf, this.#cr);
    this.number++;
    this.end = end + (this.text.startsWith("\r\n", end) ? 2 : 1);
    return this.text.slice(start, end);
  }

  #find(character: string, from: number): number {
    const found = this.text.indexOf(character, from);
    return found < 0 ? this.text.length : found;
  }
}
