// Lines of uploaded files: every kind of line end, the line of an index, and encodings.
import { deepStrictEqual as deepEqual, strictEqual as equal, throws } from "node:assert";
import { decodeText, decodeTranscript, lineAt, Lines } from "../../../functions/media/transcripts/lines.ts";
import { Repairs } from "../../../functions/media/transcripts/repairs.ts";

const encode = (text: string) => new TextEncoder().encode(text);

function linesOf(text: string): string[] {
  const lines = new Lines(text), found: string[] = [];
  for (let line = lines.next(); line !== undefined; line = lines.next()) found.push(line);
  equal(lines.number, found.length);
  return found;
}

Deno.test("Lines ends lines at LF, CR LF and CR, also mixed", () => {
  for (
    const [text, expected] of [
      ["", [""]],
      ["a", ["a"]],
      ["a\n", ["a", ""]],
      ["a\r\nb\rc\nd\r\n\r\ne\r\re", ["a", "b", "c", "d", "", "e", "", "e"]],
      ["\n\r", ["", "", ""]],
      ["\r\n", ["", ""]],
    ] as const
  ) deepEqual(linesOf(text), expected, JSON.stringify(text));
});

Deno.test("Lines reads a file of five million lines, and one line of five megabytes", () => {
  for (const text of ["\n".repeat(5e6), "\r".repeat(5e6), "x".repeat(5e6)]) {
    const lines = new Lines(text);
    while (lines.next() !== undefined);
    equal(lines.number, text.startsWith("x") ? 1 : 5e6 + 1);
  }
});

Deno.test("lineAt returns the number of the line that contains an index", () => {
  const text = "a\r\nbc\n\nd";
  deepEqual([0, 1, 3, 4, 6, 7, 8].map((index) => lineAt(text, index)), [1, 1, 2, 2, 3, 4, 4]);
});

Deno.test("decodeText removes a byte order mark and keeps line ends", () => {
  equal(decodeText(encode("\ufeffä\r\n😀")), "ä\r\n😀");
});

Deno.test("decodeText names the line of bytes that are not UTF-8, and of NUL", () => {
  const latin1 = Uint8Array.from([...encode("a\nb\n"), 0xe4, ...encode("\nc")]);
  throws(() => decodeText(latin1), { message: "Line 3: expected UTF-8; save the file in this encoding" });
  throws(() => decodeText(Uint8Array.from([0xff, 0xfe, 0x41, 0])), { message: /^Line 1: expected UTF-8/ });
  throws(() => decodeText(Uint8Array.from([0x61, 0xe2, 0x82])), { message: /^Line 1: expected UTF-8/ });
  throws(() => decodeText(encode("a\r\nb\0")), { message: "Line 2: expected text, but it contains a NUL character" });
});

Deno.test("decodeTranscript converts UTF-16 with a byte order mark, and removes NUL", () => {
  const utf16 = (text: string, isLittleEndian: boolean) =>
    Uint8Array.from([..."\ufeff" + text].flatMap((character) => {
      const code = character.charCodeAt(0), bytes = [code & 0xff, code >> 8];
      return isLittleEndian ? bytes : bytes.reverse();
    }));
  for (
    const [bytes, text, codes] of [
      [utf16("ä\r\n文", true), "ä\r\n文", ["ENCODING_CONVERTED@1"]],
      [utf16("ä\r\n文", false), "ä\r\n文", ["ENCODING_CONVERTED@1"]],
      [utf16("a", true).slice(0, 3), undefined, []],
      [encode("\ufeffa\nb\0c\0"), "a\nbc", ["CONTROL_CHARACTERS@2"]],
      [encode("a"), "a", []],
      [Uint8Array.of(0xe4), undefined, []],
    ] as const
  ) {
    const repairs = new Repairs();
    if (text === undefined) {
      throws(() => decodeTranscript(bytes, repairs), {
        message: "Line 1: expected UTF-8; save the file in this encoding",
      });
    } else {
      equal(decodeTranscript(bytes, repairs), text);
      deepEqual(repairs.list().map(({ code, lines }) => `${code}@${lines}`), codes);
    }
  }
});
