/** JSON from clients: bounded in size and depth before code walks it. */

export class TooLarge extends Error {}

const MAX_BYTES = 2 ** 20;
export const MAX_DEPTH = 64;

/** Parses text whose length the caller has bounded. Throws SyntaxError, also for more than 64 levels. */
export function parseJson(text: string): unknown {
  if (isNestedDeeper(text)) throw new SyntaxError(`JSON is nested deeper than ${MAX_DEPTH} levels`);
  return JSON.parse(text);
}

/** The text of a request's body. Throws TooLarge. */
export async function readText(request: Request): Promise<string> {
  return new TextDecoder().decode(await readBytes(request));
}

/** The time to drain a body that is too large: a client that is still sending does not read the response. */
const DRAIN_MS = 60_000;

/** A request's body. Throws TooLarge. */
export async function readBytes(request: Request, maxBytes = MAX_BYTES): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0, isTooLarge = Number(request.headers.get("content-length")) > maxBytes;
  const until = Date.now() + DRAIN_MS;
  for await (const chunk of request.body ?? []) {
    isTooLarge ||= (size += chunk.length) > maxBytes;
    if (!isTooLarge) chunks.push(chunk);
    else if (Date.now() > until) break; // which cancels the body
  }
  if (isTooLarge) throw new TooLarge();
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Counts brackets outside strings; malformed text may pass, because the parser rejects it. */
export function isNestedDeeper(text: string): boolean {
  let depth = 0, isString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '"') isString = !isString;
    else if (isString) i += c === "\\" ? 1 : 0;
    else if (c === "[" || c === "{") {
      if (++depth > MAX_DEPTH) return true;
    } else if (c === "]" || c === "}") depth--;
  }
  return false;
}
