/**
 * Texts that wait, held as bytes outside the garbage collector's sight: strings that were cut out of a piece of the feed
 * would keep all of that piece, and a few hundred items that live a little while make the heap grow by tens of megabytes.
 */
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Where a text stands; in bytes. */
export interface Span {
  from: number;
  to: number;
}

/** `room` is how many bytes there are at first. */
export function createTextBuffer(initialBytes: number) {
  let bytes = new Uint8Array(initialBytes);
  let size = 0;
  return {
    size: () => size,
    add(text: string): Span {
      const maxBytes = 3 * text.length; // of UTF-8
      if (bytes.length - size < maxBytes) {
        const longer = new Uint8Array(2 * bytes.length + maxBytes);
        longer.set(bytes.subarray(0, size));
        bytes = longer;
      }
      const from = size;
      size += encoder.encodeInto(text, bytes.subarray(size)).written;
      return { from, to: size };
    },
    /** Those of these spans, in their order, which is that of adding, as one text; holds nothing more. */
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
