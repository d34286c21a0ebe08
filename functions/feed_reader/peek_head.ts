/** The beginning of a stream of bytes, looked at before the rest is read. */

export type Bytes = AsyncIterable<Uint8Array>;

/** At least so many bytes of it, fewer only where it has no more; `all` begins with them again, and is read once. */
export async function headOf(source: Bytes, least: number): Promise<{ head: Uint8Array; all: Bytes }> {
  const pieces = source[Symbol.asyncIterator]();
  let head = new Uint8Array();
  let isDone = false;
  while (head.length < least && !isDone) {
    const { value, done } = await pieces.next();
    if (done) isDone = true;
    else head = head.length ? joined(head, value) : value;
  }
  return { head, all: rest(head, pieces, isDone) };
}

async function* rest(head: Uint8Array, pieces: AsyncIterator<Uint8Array>, isDone: boolean): AsyncGenerator<Uint8Array> {
  let isOver = isDone;
  try {
    if (head.length) yield head;
    while (!isOver) {
      const { value, done } = await pieces.next();
      if (done) isOver = true;
      else yield value;
    }
  } finally {
    if (!isOver) await pieces.return?.(); // left early: the connection behind it is closed
  }
}

export function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
