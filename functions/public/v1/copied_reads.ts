/** Public reads, with copies for an unavailable database. */
import type { Context } from "hono";
import type { AppEnv } from "../../app/app.ts";
import { addSuccess, type CacheableBody } from "../../app/reply.ts";
import { type CopiedRead, createStaleCopies } from "../../app/stale_copies.ts";
import type { Arguments, PublicRead } from "../../database/operations.ts";

const copies = createStaleCopies<CacheableBody>(
  { maxCount: 5000, maxBytes: 16 * 1024 * 1024 },
  ({ bytes }) => bytes.length,
);
const encoder = new TextEncoder();

/** Runs a public read. The function and its arguments are the key of a copy. */
export async function readThroughCopies<R extends PublicRead>(
  c: Context<AppEnv>,
  read: R,
  args: Arguments<R>,
  toBody: (text: string) => string = addSuccess,
): Promise<CopiedRead<CacheableBody>> {
  const found = await copies.read(`${read} ${JSON.stringify(args)}`, async (known) => {
    const { etag, text } = await c.var.reads.read(read, args, known?.etag);
    return text === null ? known : { bytes: encoder.encode(toBody(text)), etag };
  });
  return found!;
}
