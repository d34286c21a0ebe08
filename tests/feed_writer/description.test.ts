// The feed's descriptions: text that means the same as HTML and as plain text, of at most 4,000 bytes.
import assert from "node:assert/strict";
import { MAX_DESCRIPTION_BYTES, plainDescription } from "../../functions/feed_writer/description.ts";
import { truncateBytes } from "../../functions/text/plain_text.ts";

const bytes = (text: string) => new TextEncoder().encode(text).length;

Deno.test("a description without tags is unchanged", () => {
  for (const text of ["Sleepers & couchettes", "1 < 2, <3", "R&amp;D", "a\nb  c", "\u00a0x"]) {
    assert.equal(plainDescription(text), text);
  }
});

Deno.test("a description with tags becomes plain text that contains no tag", () => {
  assert.equal(plainDescription("<p>One <b>two</b></p><p>three<script>alert(1)</script>"), "One two\nthree");
  assert.equal(plainDescription("<p>&lt;script&gt;alert(1)&lt;/script&gt;"), "&lt;script>alert(1)&lt;/script>");
  assert.equal(plainDescription("<img src=x onerror=alert(1)"), "&lt;img src=x onerror=alert(1)");
  assert.doesNotMatch(plainDescription(`${"<a".repeat(5000)}`)!, /<[a-z/!?]/i);
});

Deno.test("the description is the first text with visible content", () => {
  assert.equal(plainDescription(null, " \u200b", "<p> </p><img src=x>", "last"), "last");
  assert.equal(plainDescription(null, "", "<br>"), undefined);
});

Deno.test("a description of 4,000 bytes is complete, and a longer one is truncated with an ellipsis", () => {
  const whole = "ü".repeat(2000);
  assert.equal(plainDescription(whole), whole);
  for (const character of ["a", "ü", "夜", "😀"]) {
    for (let before = 0; before < 5; before++) {
      const cut = plainDescription("x".repeat(before) + character.repeat(5000))!;
      assert.ok(bytes(cut) <= MAX_DESCRIPTION_BYTES && bytes(cut) > MAX_DESCRIPTION_BYTES - 4, `${bytes(cut)}`);
      assert.match(cut, new RegExp(`^x*${character}+…$`, "u"));
    }
  }
});

Deno.test("a description of Latin-1 text has at most 4,000 bytes after thousands of calls", () => {
  for (let n = 0; n < 20_000; n++) { // so that the calls are compiled
    const text = ["x".repeat(500), "&", "ü".repeat(900), "ü".repeat(900)].join("");
    assert.equal(plainDescription(text)!.length, 500 + 1 + 1748 + 1);
  }
});

Deno.test("a truncated description keeps a byte order mark and whole characters", () => {
  for (const character of ["ü", "夜", "😀"]) {
    for (let before = 0; before < 4; before++) {
      const text = "\ufeff" + "x".repeat(before) + character.repeat(40);
      const cut = truncateBytes(text, 30);
      assert.ok(text.startsWith(cut.slice(0, -1)) && cut.endsWith("…"), cut);
      assert.ok(bytes(cut) <= 30 && bytes(cut) > 30 - bytes(character), `${bytes(cut)}`);
    }
  }
});

Deno.test("truncation never splits an entity", () => {
  for (const entity of ["&amp;", "&#128649;", "&CounterClockwiseContourIntegral;"]) {
    for (let before = 20; before <= 20 + entity.length + 3; before++) {
      const cut = truncateBytes(`${"x".repeat(before)}${entity}${"y".repeat(100)}`, 20 + entity.length + 3);
      assert.match(cut, new RegExp(`^x*(?:${entity})?y*…$`), cut);
    }
  }
  assert.equal(truncateBytes("AT&T and others", 9), "AT&T a…", "an ampersand alone is not an entity");
});
