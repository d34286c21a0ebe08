// The payload of push messages: its members, its size, and where it cuts.
import assert from "node:assert/strict";
import { MAX_PAYLOAD_BYTES, type PushContent, serializePayload } from "../../functions/push/payload.ts";

const content: PushContent = {
  deliveryId: "4b1b3a4e-6a5e-4a5e-9e0e-3b1b3a4e6a5e",
  notificationId: "5c2c4b5f-7b6f-4b6f-8f1f-4c2c4b5f7b6f",
  title: "Ada in Night Trains",
  body: "Hello",
  url: "https://app.test/episodes/1",
  count: 1,
  tag: "4b1b3a4e-6a5e-4a5e-9e0e-3b1b3a4e6a5e",
};
const sizeOf = (json: string) => new TextEncoder().encode(json).length;
const read = (changes: Partial<PushContent>): PushContent => {
  const json = serializePayload({ ...content, ...changes });
  assert.ok(sizeOf(json) <= MAX_PAYLOAD_BYTES, `${sizeOf(json)} bytes`);
  return JSON.parse(json);
};

Deno.test("a short payload is the content", () => {
  assert.deepEqual(read({}), content);
  assert.deepEqual(read({ body: null }), { ...content, body: null });
});

Deno.test("a payload has no members besides those of its content", () => {
  assert.deepEqual(JSON.parse(serializePayload({ ...content, secret: 1 } as PushContent)), content);
});

Deno.test("a body that fits to the byte is kept, and one byte more is cut", () => {
  const room = MAX_PAYLOAD_BYTES - sizeOf(serializePayload({ ...content, body: "" }));
  assert.equal(read({ body: "x".repeat(room) }).body, "x".repeat(room));
  assert.equal(read({ body: "x".repeat(room + 1) }).body, "x".repeat(room - 3) + "…");
});

for (
  const [what, grapheme] of Object.entries({
    "letters of two bytes": "ä",
    "an emoji of several characters": "👩‍👩‍👧‍👦",
    "a letter with combining marks": "e\u0301\u0323",
    "a flag": "🇩🇪",
    "quotes, which JSON escapes": '"',
    "control characters, which JSON escapes": "\u0001",
  })
) {
  Deno.test(`a long body of ${what} is cut between graphemes`, () => {
    const { body, ...rest } = read({ body: grapheme.repeat(2000) });
    const kept = body!.slice(0, -1);
    assert.ok(body!.endsWith("…") && kept.length > 100, body!);
    assert.equal(kept, grapheme.repeat(kept.length / grapheme.length));
    assert.deepEqual({ ...rest, body: content.body }, content);
    const next = JSON.stringify({ ...rest, body: `${kept}${grapheme}…` });
    assert.ok(sizeOf(next) > MAX_PAYLOAD_BYTES, "another grapheme would have fit");
  });
}

Deno.test("a body of a single endless grapheme becomes an ellipsis", () => {
  assert.equal(read({ body: "e" + "\u0301".repeat(5000) }).body, "…");
});

Deno.test("white space before the ellipsis is removed", () => {
  assert.match(read({ body: "word ".repeat(1000) }).body!, /word…$/);
});

Deno.test("a long title is cut after the body", () => {
  const { title, body } = read({ title: "\u0001".repeat(1000), body: "x".repeat(2000) });
  assert.equal(body, "…");
  assert.ok(title.length > 500 && title.endsWith("…"));
  assert.equal(read({ title: "\u0001".repeat(1000), body: null }).body, null);
});
