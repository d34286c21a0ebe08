/** The head of a response (RFC 9112, 4 and 5): status line and headers, up to a limit. */
import type { Connection } from "./connection.ts";
import { FetchError } from "./fetch_error.ts";
import { decodeLatin1 } from "./latin1.ts";

export interface ResponseHead {
  minorVersion: number;
  status: number;
  headers: Headers;
  /** Bytes of the body that arrived with the head. */
  rest: Uint8Array;
}

/** Includes the heads of interim responses (1xx). */
const MAX_HEAD_BYTES = 65_536;
const MAX_HEADERS = 200;

/** Reads up to the end of the head of the final response. */
export async function readHead(connection: Connection): Promise<ResponseHead> {
  let text = "";
  let size = 0;
  let isLineEmpty = false;
  for (let bytes; (bytes = await connection.read());) {
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      if (++size > MAX_HEAD_BYTES) throw notHttpError("its head is too long");
      if (bytes[at] !== LF) {
        if (bytes[at] !== CR) isLineEmpty = false;
        continue;
      }
      if (isLineEmpty) {
        const head = parseHead(text + decodeLatin1(bytes.subarray(start, at + 1)));
        if (head.status >= 200) return { ...head, rest: bytes.subarray(at + 1) };
        if (head.status === 101) throw notHttpError("it changes the protocol");
        [text, start] = ["", at + 1];
      }
      isLineEmpty = true;
    }
    text += decodeLatin1(bytes.subarray(start));
  }
  throw new FetchError("FETCH_FAILED", "The server closed the connection without responding");
}

const [LF, CR] = [10, 13];

/** Parses a head with its empty line. Lines may end without CR; white space continues the previous line. */
function parseHead(text: string): Omit<ResponseHead, "rest"> {
  const [statusLine, ...lines] = text.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/).slice(0, -2);
  const [, minorVersion, status] = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/.exec(statusLine) ?? [];
  if (!status) throw notHttpError("no status line");
  if (lines.length > MAX_HEADERS) throw notHttpError("too many headers");
  if (/\r(?!\n)/.test(text)) throw notHttpError("a carriage return alone");
  try {
    const headers = new Headers(lines.map(parseField)); // rejects invalid names and NUL
    return { minorVersion: Number(minorVersion), status: Number(status), headers };
  } catch (cause) {
    throw notHttpError(cause);
  }
}

function parseField(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  if (colon < 0) throw new TypeError("no colon");
  return [line.slice(0, colon), trimBlanks(line.slice(colon + 1))];
}

/** Trims blanks. Headers would trim in time that grows with the square of the blanks inside. */
function trimBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text[start])) start++;
  while (end > start && isBlank(text[end - 1])) end--;
  return text.slice(start, end);
}

const isBlank = (character: string) => character === " " || character === "\t";

/** The error of a response that cannot be parsed. */
export const notHttpError = (cause: unknown) =>
  new FetchError("FETCH_FAILED", "The server did not return a valid HTTP response", { cause });
