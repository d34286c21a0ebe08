/**
 * Buffers texts as bytes outside the heap. Strings that are slices of a feed's chunk keep the whole chunk in memory,
 * and a few hundred short-lived items would grow the heap by tens of megabytes.
 */
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The position of a text, in bytes. */
export interface Span {
  from: number;
  to: number;
}

/** `initialBytes` is the initial capacity; it grows as needed. */
export function createTextBuffer(initialBytes: number) {
  let bytes = new Uint8Array(initialBytes);
  let size = 0;
  return {
    size: () => size,
    add(text: string): Span {
      const maxBytes = 3 * text.length; // in UTF-8
      if (bytes.length - size < maxBytes) {
        const longer = new Uint8Array(2 * bytes.length + maxBytes);
        longer.set(bytes.subarray(0, size));
        bytes = longer;
      }
      const from = size;
      size += encoder.encodeInto(text, bytes.subarray(size)).written;
      return { from, to: size };
    },
    /** Returns these spans, in the order of adding, as one text, and empties the buffer. */
    take(spans: Iterable<Span> = [{ from: 0, to: size }]): string {
      let end = 0;
      for (const { from, to } of spans) {
        if (from > end) bytes.copyWithin(end, from, to);
        end += to - from;
      }
      size = 0;
      return decoder.decode(bytes.subarray(0, end));
    },
  };
}
