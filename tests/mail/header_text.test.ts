// Titles and names in headers.
import assert from "node:assert/strict";
import { toHeaderText } from "../../functions/mail/header_text.ts";

Deno.test("toHeaderText makes one line that is neither another header nor an encoded word", () => {
  const cases: [string, string][] = [
    ["Hello\r\nBcc: eve@evil.test", "Hello Bcc: eve@evil.test"],
    ["a\u0000b\tc\u2028d\u2029e\u0085f", "a b c d e f"],
    ["  two   spaces ", "two spaces"],
    ["\u202egnp.exe\u202c and \u2066isolated\u2069", "gnp.exe and isolated"],
    ["=?utf-8?B?QmNjOiBldmVAZXZpbC50ZXN0?=", "= ?utf-8?B?QmNjOiBldmVAZXZpbC50ZXN0?="],
    ["\ud83d half", "\ufffd half"],
    ["夜🚂 “Ä”", "夜🚂 “Ä”"],
    ["", ""],
    ["\r\n", ""],
  ];
  for (const [text, expected] of cases) assert.equal(toHeaderText(text, 100), expected);
});

Deno.test("toHeaderText cuts a long text at a character and marks the cut", () => {
  assert.equal(toHeaderText("🚂".repeat(10), 10), "🚂".repeat(10));
  assert.equal(toHeaderText("🚂".repeat(11), 10), `${"🚂".repeat(9)}…`);
  assert.equal(toHeaderText("12345678 0123", 10), "12345678…");
});
