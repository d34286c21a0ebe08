/** Reads the beginning of a stream without consuming it. */

export type ByteStream = AsyncIterable<Uint8Array>;

/**
 * Returns at least `minBytes`, fewer only if the stream is shorter. `all` yields the whole stream and is read once. Each
 * chunk is copied, because the next one may overwrite it.
 */
export async function peekHead(source: ByteStream, minBytes: number): Promise<{ head: Uint8Array; all: ByteStream }> {
  const chunks = source[Symbol.asyncIterator]();
  let head = new Uint8Array();
  let isDone = false;
  while (head.length < minBytes && !isDone) {
    const { value, done } = await chunks.next();
    if (done) isDone = true;
    else head = concatBytes(head, value);
  }
  return { head, all: prepend(head, chunks, isDone) };
}

async function* prepend(
  head: Uint8Array,
  chunks: AsyncIterator<Uint8Array>,
  isDone: boolean,
): AsyncGenerator<Uint8Array> {
  let isOver = isDone;
  try {
    if (head.length) yield head;
    while (!isOver) {
      const { value, done } = await chunks.next();
      if (done) isOver = true;
      else yield value;
    }
  } finally {
    if (!isOver) await chunks.return?.(); // abandoned early: closes the connection
  }
}

export function concatBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
