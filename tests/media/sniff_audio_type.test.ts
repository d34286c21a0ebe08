// The type of an enclosure.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { SNIFF_BYTES, sniffAudioType, type TypeHints } from "../../functions/media/headers/sniff_audio_type.ts";
import { allBytes, mp3 } from "../worker/source.ts";

const nothing: TypeHints = { server: null, feed: null, url: "https://a.test/file" };
const typeOf = (bytes: string | Uint8Array, hints: Partial<TypeHints> = {}) =>
  sniffAudioType(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes, { ...nothing, ...hints });
const frames = allBytes(mp3(SNIFF_BYTES));

Deno.test("sniffAudioType returns the type of known signatures", () => {
  const hints = { server: "audio/mpeg", feed: "audio/mpeg", url: "https://a.test/a.mp3" };
  assert.equal(typeOf(frames, { server: "text/html" }), "audio/mpeg");
  assert.equal(typeOf(Buffer.concat([Buffer.alloc(900), frames])), "audio/mpeg", "garbage before the first frame");
  assert.equal(typeOf("ID3\x04\0\0\0\0\x0f\x76"), "audio/mpeg");
  assert.equal(typeOf("RIFF\x24\0\0\0WAVEfmt ", hints), "audio/wav");
  assert.equal(typeOf("\0\0\0\x20ftypM4A ", hints), "audio/mp4");
  assert.equal(typeOf("\0\0\0\x20ftypM4A ", { feed: "audio/x-m4a" }), "audio/x-m4a");
  assert.equal(typeOf("\0\0\0\x20ftypisom"), "audio/mp4");
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
    assert.equal(typeOf(other, hints), undefined, other);
  }
  assert.equal(typeOf("\0\0\0\x20ftypisom", { ...hints, feed: "video/mp4" }), undefined, "a video");
});

Deno.test("sniffAudioType uses the hints of server, feed and URL for unknown signatures", () => {
  const rubbish = Buffer.alloc(500, 7);
  assert.equal(typeOf(rubbish), undefined);
  assert.equal(typeOf(rubbish, { server: "audio/wav", feed: "audio/mpeg" }), "audio/wav");
  assert.equal(typeOf(rubbish, { server: "application/octet-stream", feed: "audio/mp3" }), "audio/mpeg");
  assert.equal(typeOf(rubbish, { url: "https://a.test/a.M4A?x=1" }), "audio/x-m4a");
  assert.equal(typeOf(rubbish, { server: "text/html", feed: "audio/mpeg", url: "https://a.test/a.mp3" }), undefined);
  assert.equal(typeOf(rubbish, { feed: "audio/ogg" }), undefined);
});

Deno.test("sniffAudioType accepts any bytes of any length", () => {
  for (let size = 0; size < 64; size++) {
    for (const first of ["ID3", "RIFF", "\0\0\0\0ftyp", "\xff\xfb\x90"]) {
      typeOf(Buffer.from(first.padEnd(size, "\xff").slice(0, size), "latin1"));
    }
  }
});
