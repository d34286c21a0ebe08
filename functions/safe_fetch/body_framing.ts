/** Where the body of a response ends (RFC 9112, 6.3): by its kind, by chunks, by its length, or with the connection. */
import { chunkedFraming } from "./chunked.ts";
import { type Framing, lengthFraming, UNTIL_CLOSED } from "./framing.ts";
import { notHttpError, type ResponseHead } from "./response_head.ts";

/** Chooses the framing, and removes a Content-Length that does not apply. */
export function bodyFraming(method: string, { status, headers, minorVersion }: ResponseHead): Framing {
  if (method === "HEAD" || status === 204 || status === 304) return lengthFraming(0);
  const coding = headers.get("transfer-encoding");
  if (coding !== null) {
    if (minorVersion === 0 || coding.toLowerCase() !== "chunked") throw notHttpError(`transfer-encoding ${coding}`);
    headers.delete("content-length"); // chunks take precedence; nothing else follows on this connection
    return chunkedFraming();
  }
  const lengths = headers.get("content-length")?.split(",").map((length) => length.trim());
  if (!lengths) return UNTIL_CLOSED;
  const [length] = lengths;
  if (!/^\d{1,15}$/.test(length) || lengths.some((other) => other !== length)) throw notHttpError("content-length");
  headers.set("content-length", length); // the header may be repeated
  return lengthFraming(Number(length));
}
