/** Where the body of an answer ends (RFC 9112, 6.3): by its kind, by chunks, by its length, or with the connection. */
import { chunkedFraming } from "./chunked.ts";
import { notHttpError, type ResponseHead } from "./response_head.ts";

export interface Framing {
  /** The content in these bytes, which may be moved within their own memory for it. */
  take(bytes: Uint8Array): Uint8Array;
  isDone(): boolean;
  /** Whether the connection's end is the body's end. */
  endsByClosing: boolean;
}

/** Decides, and removes a Content-Length that does not count. */
export function bodyFraming(method: string, { status, headers, minorVersion }: ResponseHead): Framing {
  if (method === "HEAD" || status === 204 || status === 304) return lengthFraming(0);
  const coding = headers.get("transfer-encoding");
  if (coding !== null) {
    if (minorVersion === 0 || coding.toLowerCase() !== "chunked") throw notHttpError(`transfer-encoding ${coding}`);
    headers.delete("content-length"); // chunks win; as nothing else is read from this connection, nothing is smuggled
    return chunkedFraming();
  }
  const lengths = headers.get("content-length")?.split(",").map((length) => length.trim());
  if (!lengths) return UNTIL_CLOSED;
  const [length] = lengths;
  if (!/^\d{1,15}$/.test(length) || lengths.some((other) => other !== length)) throw notHttpError("content-length");
  headers.set("content-length", length); // it may have been said twice
  return lengthFraming(Number(length));
}

function lengthFraming(left: number): Framing {
  return {
    take(bytes) {
      const content = bytes.subarray(0, left);
      left -= content.length;
      return content;
    },
    isDone: () => left === 0,
    endsByClosing: false,
  };
}

const UNTIL_CLOSED: Framing = { take: (bytes) => bytes, isDone: () => false, endsByClosing: true };
