/** Where a body ends, and the two framings without a parser. */

export interface Framing {
  /** Returns the content in these bytes; may move it within their memory. */
  take(bytes: Uint8Array): Uint8Array;
  isDone(): boolean;
  /** Whether the connection's end is the body's end. */
  endsByClosing: boolean;
}

/** A body of this length. */
export function lengthFraming(left: number): Framing {
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

/** A body that ends with the connection. */
export const UNTIL_CLOSED: Framing = { take: (bytes) => bytes, isDone: () => false, endsByClosing: true };
