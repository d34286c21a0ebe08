// The feed's descriptions: text that means the same as HTML and as plain text, of at most 4,000 bytes.
import assert from "node:assert/strict";
import { cutBytes, description, MAX_DESCRIPTION_BYTES } from "../../functions/feed_writer/description.ts";

const bytes = (text: string) => new TextEncoder().encode(text).length;

Deno.test("A description without tags stays letter for letter", () => {
  for (const text of ["Sleepers & couchettes", "1 < 2, <3", "R&amp;D", "a\nb  c", "\u00a0x"]) {
    assert.equal(description(text), text);
  }
});

Deno.test("A description with tags becomes plain text, in which no tag can begin", () => {
  assert.equal(description("<p>One <b>two</b></p><p>three<script>alert(1)</script>"), "One two\nthree");
  assert.equal(description("<p>&lt;script&gt;alert(1)&lt;/script&gt;"), "&lt;script>alert(1)&lt;/script>");
  assert.equal(description("<img src=x onerror=alert(1)"), "&lt;img src=x onerror=alert(1)");
  assert.doesNotMatch(description(`${"<a".repeat(5000)}`)!, /<[a-z/!?]/i);
});

Deno.test("A description is the first text that has something to read", () => {
  assert.equal(description(null, " \u200b", "<p> </p><img src=x>", "last"), "last");
  assert.equal(description(null, "", "<br>"), undefined);
});

Deno.test("A description of exactly 4,000 bytes is whole, and a longer one ends in an ellipsis within the limit", () => {
  const whole = "ü".repeat(2000);
  assert.equal(description(whole), whole);
  for (const character of ["a", "ü", "夜", "😀"]) {
    for (let before = 0; before < 5; before++) {
      const cut = description("x".repeat(before) + character.repeat(5000))!;
      assert.ok(bytes(cut) <= MAX_DESCRIPTION_BYTES && bytes(cut) > MAX_DESCRIPTION_BYTES - 4, `${bytes(cut)}`);
      assert.match(cut, new RegExp(`^x*${character}+…$`, "u"));
    }
  }
});

Deno.test("A cut never ends within an entity", () => {
  for (const entity of ["&amp;", "&#128649;", "&CounterClockwiseContourIntegral;"]) {
    for (let before = 20; before <= 20 + entity.length + 3; before++) {
      const cut = cutBytes(`${"x".repeat(before)}${entity}${"y".repeat(100)}`, 20 + entity.length + 3);
      assert.match(cut, new RegExp(`^x*(?:${entity})?y*…$`), cut);
    }
  }
  assert.equal(cutBytes("AT&T and others", 9), "AT&T a…", "an ampersand alone is no entity");
});
