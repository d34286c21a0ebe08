/** The head of an answer (RFC 9112, 4 and 5): its status line and headers, under a ceiling. */
import type { Connection } from "./connection.ts";
import { FetchFailure } from "./fetch_error.ts";
import { latin1Text } from "./latin1.ts";

export interface Head {
  minorVersion: number;
  status: number;
  headers: Headers;
  /** What came of the body together with the head. */
  rest: Uint8Array;
}

/** In bytes; heads of interim answers (1xx) count too. */
const MOST_HEAD = 65_536;
const MOST_HEADERS = 200;

/** Reads up to the end of the head of the final answer. */
export async function readHead(connection: Connection): Promise<Head> {
  let text = "";
  let size = 0;
  let isLineEmpty = false;
  for (let bytes; (bytes = await connection.read());) {
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      if (++size > MOST_HEAD) throw notHttp("its head is too long");
      if (bytes[at] !== LF) {
        if (bytes[at] !== CR) isLineEmpty = false;
        continue;
      }
      if (isLineEmpty) {
        const head = parsed(text + latin1Text(bytes.subarray(start, at + 1)));
        if (head.status >= 200) return { ...head, rest: bytes.subarray(at + 1) };
        if (head.status === 101) throw notHttp("it changes the protocol");
        [text, start] = ["", at + 1];
      }
      isLineEmpty = true;
    }
    text += latin1Text(bytes.subarray(start));
  }
  throw new FetchFailure("FETCH_FAILED", "The connection was closed before an answer came");
}

const [LF, CR] = [10, 13];

/** A head with its empty line. Lines may end without CR, and go on after white space at the next one's begin. */
function parsed(text: string): Omit<Head, "rest"> {
  const [statusLine, ...lines] = text.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/).slice(0, -2);
  const [, minorVersion, status] = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/.exec(statusLine) ?? [];
  if (!status) throw notHttp("no status line");
  if (lines.length > MOST_HEADERS) throw notHttp("too many headers");
  if (/\r(?!\n)/.test(text)) throw notHttp("a carriage return alone");
  try {
    const headers = new Headers(lines.map(field)); // refuses names that are none, and NUL
    return { minorVersion: Number(minorVersion), status: Number(status), headers };
  } catch (cause) {
    throw notHttp(cause);
  }
}

function field(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  if (colon < 0) throw new TypeError("no colon");
  return [line.slice(0, colon), withoutBlanks(line.slice(colon + 1))];
}

/** Blanks around a value do not count. Headers would remove them too, in time that grows with the square of those inside. */
function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text[start])) start++;
  while (end > start && isBlank(text[end - 1])) end--;
  return text.slice(start, end);
}

const isBlank = (character: string) => character === " " || character === "\t";

/** Said of an answer that cannot be understood. */
export const notHttp = (cause: unknown) =>
  new FetchFailure("FETCH_FAILED", "The address did not answer as an HTTP server does", { cause });
