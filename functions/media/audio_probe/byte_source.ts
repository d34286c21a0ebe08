/** Bytes that parsers read at any offset: of a stored object by range requests within limits, or of memory. */

export interface ByteSource {
  size: number;
  /** The bytes from this offset, fewer at the end. */
  read(at: number, length: number): Promise<Uint8Array>;
  /** The same bytes, within limits of their own. */
  reopen(limits: ProbeLimits): ByteSource;
}

/** The file needs more bytes or requests than a probe may spend. */
export class ProbeLimitError extends Error {}

/** A range of an object, and the size of the whole object. */
export interface ObjectRange {
  bytes: Uint8Array;
  size: number;
}

export interface ProbeLimits {
  /** Bytes fetched, over all requests. */
  maxBytes: number;
  maxRequests: number;
}

/** Enough for most headers, so that parsers read field by field. */
const BLOCK_BYTES = 16_384;

type FetchRange = (from: number, length: number) => Promise<ObjectRange>;

/** The object behind `fetchRange`. Keeps the last block, because parsers mostly read forward. */
export async function openObject(fetchRange: FetchRange, limits: ProbeLimits): Promise<ByteSource> {
  const limited = withinLimits(fetchRange, limits), { bytes, size } = await limited(0, BLOCK_BYTES);
  return inBlocks(fetchRange, limited, size, bytes);
}

function withinLimits(fetchRange: FetchRange, { maxBytes, maxRequests }: ProbeLimits): FetchRange {
  let bytesLeft = maxBytes, requestsLeft = maxRequests;
  return async (from, length) => {
    if (length > bytesLeft || requestsLeft === 0) {
      throw new ProbeLimitError(`The probe ends after ${maxBytes} bytes or ${maxRequests} requests`);
    }
    bytesLeft -= length;
    requestsLeft--;
    return await fetchRange(from, length);
  };
}

function inBlocks(fetchRange: FetchRange, fetchBlock: FetchRange, size: number, first: Uint8Array): ByteSource {
  let block = first, blockAt = 0;
  return {
    reopen: (limits) => inBlocks(fetchRange, withinLimits(fetchRange, limits), size, new Uint8Array()),
    size,
    async read(at, length) {
      const end = Math.min(at + length, size);
      if (at >= end) return new Uint8Array();
      if (at < blockAt || end > blockAt + block.length) {
        ({ bytes: block } = await fetchBlock(at, Math.min(Math.max(length, BLOCK_BYTES), size - at)));
        blockAt = at;
      }
      return block.subarray(at - blockAt, end - blockAt);
    },
  };
}

export function inMemory(bytes: Uint8Array): ByteSource {
  const source: ByteSource = {
    size: bytes.length,
    read: (at, length) => Promise.resolve(bytes.subarray(at, at + length)),
    reopen: () => source,
  };
  return source;
}

/** A big-endian number of up to six bytes; 0 for bytes past the end. */
export function be(bytes: Uint8Array, at: number, length: number): number {
  let sum = 0;
  for (let n = 0; n < length; n++) sum = sum * 256 + (bytes[at + n] ?? 0);
  return sum;
}

/** A little-endian number of up to four bytes; 0 for bytes past the end. */
export const le = (bytes: Uint8Array, at: number, length: number): number =>
  be(bytes.slice(at, at + length).reverse(), 0, Math.min(length, Math.max(0, bytes.length - at)));
