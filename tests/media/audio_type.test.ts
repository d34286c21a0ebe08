// The type of an enclosure, and the Retry-After of its server.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { SNIFF_BYTES, sniffAudioType, type TypeHints } from "../../functions/media/audio_type.ts";
import { parseRetryAfter } from "../../functions/worker/import/item_errors.ts";
import { mp3, whole } from "../worker/source.ts";

const nothing: TypeHints = { server: null, feed: null, url: "https://a.test/file" };
const taken = (bytes: string | Uint8Array, claims: Partial<TypeHints> = {}) =>
  sniffAudioType(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes, { ...nothing, ...claims });
const frames = whole(mp3(SNIFF_BYTES));

Deno.test("sniffAudioType returns the type of known signatures", () => {
  const claims = { server: "audio/mpeg", feed: "audio/mpeg", url: "https://a.test/a.mp3" };
  assert.equal(taken(frames, { server: "text/html" }), "audio/mpeg");
  assert.equal(taken(Buffer.concat([Buffer.alloc(900), frames])), "audio/mpeg", "rubbish before the first frame");
  assert.equal(taken("ID3\x04\0\0\0\0\x0f\x76"), "audio/mpeg");
  assert.equal(taken("RIFF\x24\0\0\0WAVEfmt ", claims), "audio/wav");
  assert.equal(taken("\0\0\0\x20ftypM4A ", claims), "audio/mp4");
  assert.equal(taken("\0\0\0\x20ftypM4A ", { feed: "audio/x-m4a" }), "audio/x-m4a");
  assert.equal(taken("\0\0\0\x20ftypisom"), "audio/mp4");
  const others = [
    "OggS",
    "fLaC",
    "%PDF-1.7",
    "\xff\xd8\xff\xe0",
    "\x1f\x8b\x08",
    "\xff\xf1\x50\x80",
    "<html>",
    "\xef\xbb\xbf <p>",
    '{"error":1}',
  ];
  for (const other of [...others, "ID3\x04\0\0\0\0\0\0\xff\xf1\x50\x80", "\0\0\0\x20ftypM4V "]) {
    assert.equal(taken(other, claims), undefined, other);
  }
  assert.equal(taken("\0\0\0\x20ftypisom", { ...claims, feed: "video/mp4" }), undefined, "a film");
});

Deno.test("sniffAudioType uses the hints of server, feed and URL for unknown signatures", () => {
  const rubbish = Buffer.alloc(500, 7);
  assert.equal(taken(rubbish), undefined);
  assert.equal(taken(rubbish, { server: "audio/wav", feed: "audio/mpeg" }), "audio/wav");
  assert.equal(taken(rubbish, { server: "application/octet-stream", feed: "audio/mp3" }), "audio/mpeg");
  assert.equal(taken(rubbish, { url: "https://a.test/a.M4A?x=1" }), "audio/x-m4a");
  assert.equal(taken(rubbish, { server: "text/html", feed: "audio/mpeg", url: "https://a.test/a.mp3" }), undefined);
  assert.equal(taken(rubbish, { feed: "audio/ogg" }), undefined);
});

Deno.test("sniffAudioType accepts any bytes of any length", () => {
  for (let size = 0; size < 64; size++) {
    for (const first of ["ID3", "RIFF", "\0\0\0\0ftyp", "\xff\xfb\x90"]) {
      taken(Buffer.from(first.padEnd(size, "\xff").slice(0, size), "latin1"));
    }
  }
});

Deno.test("parseRetryAfter reads seconds and dates", () => {
  const now = Date.UTC(2024, 0, 1);
  assert.equal(parseRetryAfter("120", now), 120);
  assert.equal(parseRetryAfter("Mon, 01 Jan 2024 00:01:30 GMT", now), 90);
  assert.equal(parseRetryAfter("Sun, 31 Dec 2023 00:00:00 GMT", now), 0);
  for (const unsaid of [null, "", "soon", "-5"]) assert.ok(!parseRetryAfter(unsaid, now), `${unsaid}`);
});
