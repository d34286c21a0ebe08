/**
 * The chunked transfer coding (RFC 9112, 7.1), strict about its line ends. Moves the contents of all chunks of a
 * read together, so that a body in chunks of one byte costs only its reads.
 */
import type { Framing } from "./framing.ts";
import { notHttpError } from "./response_head.ts";

/** A number is exact up to 13 hexadecimal digits. */
const MAX_SIZE_DIGITS = 13;
/** Limit of a chunk's extensions, and of the trailers. */
const MAX_EXTRA_BYTES = 16_384;

const CR = 13;
const LF = 10;
const SEMICOLON = 59;
const BLANKS = [9, 32];

type State = "size" | "extension" | "size end" | "content" | "content CR" | "content LF" | "trailer" | "end" | "done";

export function chunkedFraming(): Framing {
  let state: State = "size";
  let left = 0; // bytes of the chunk, as far as its size is read
  let digits = 0;
  let extra = 0;
  let isLineEmpty = true;

  /** The state after a byte that is not content. */
  function nextState(byte: number): State {
    switch (state) {
      case "size": {
        const digit = parseHexDigit(byte);
        if (digit >= 0 && ++digits <= MAX_SIZE_DIGITS) {
          left = left * 16 + digit;
          return "size";
        }
        if (!digits || digit >= 0) throw notHttpError("a chunk without a size");
        if (byte === CR) return "size end";
        if (byte === SEMICOLON || BLANKS.includes(byte)) return "extension";
        throw notHttpError("a chunk's size is not a number");
      }
      case "extension":
        return byte === CR ? "size end" : stayIn("extension", byte);
      case "size end":
        requireByte(byte, LF);
        [digits, extra] = [0, 0];
        return left ? "content" : "trailer";
      case "content CR":
        requireByte(byte, CR);
        return "content LF";
      case "content LF":
        requireByte(byte, LF);
        return "size";
      case "trailer":
        if (byte === CR) return "end";
        isLineEmpty = false;
        return stayIn("trailer", byte);
      default: // "end", of a line of the trailer
        requireByte(byte, LF);
        if (isLineEmpty) return "done";
        isLineEmpty = true;
        return "trailer";
    }
  }

  function stayIn(same: State, byte: number): State {
    if (byte === LF || ++extra > MAX_EXTRA_BYTES) throw notHttpError(`a chunk's ${same}`);
    return same;
  }

  return {
    take(bytes) {
      let size = 0;
      for (let at = 0; at < bytes.length && state !== "done";) {
        if (state !== "content") {
          state = nextState(bytes[at++]);
          continue;
        }
        const length = Math.min(left, bytes.length - at);
        bytes.copyWithin(size, at, at + length);
        [size, at, left] = [size + length, at + length, left - length];
        if (!left) state = "content CR";
      }
      return bytes.subarray(0, size);
    },
    isDone: () => state === "done",
    endsByClosing: false,
  };
}

function requireByte(byte: number, wanted: number) {
  if (byte !== wanted) throw notHttpError("a chunk without its line end");
}

/** The digit's value, or -1. */
function parseHexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = (byte | 32) - 97;
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}
