// PUT /api/media/transcript/upload/{uploadId}: accepted and rejected transcripts, what is stored, and the allowance.
import assert from "node:assert/strict";
import { assertError, assertKeys, episode, person, podcast, sendRequest, sql, stackInfo } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { objectsOf } from "./audio.ts";
import { CAP, put, SAMPLES, transcriptsOf, upload, uploaded, VTT } from "./transcripts.ts";

const show = await podcast("Transcribed"), matrix = await episode(show);

assertAccessMatrix("PUT /api/media/transcript/upload/:uploadId", () => Promise.resolve(upload(show, matrix)), {
  anon: 401,
  stranger: 403,
  member: 403,
});

Deno.test("an admin's transcript is stored with its type under a key from the server, and becomes a row", async () => {
  const pilot = await episode(show);
  for (const [type, [content, extension]] of Object.entries(SAMPLES)) {
    const request = upload(show, pilot, { type, as: "admin", query: { language: "de-AT", rel: "captions" } });
    const { status, body, text } = await sendRequest(request);
    assert.equal(status, 200, text);
    assertKeys(
      body,
      ...["success", "transcriptId", "path", "publicUrl", "fileSize", "contentType", "language", "rel", "warnings"],
    );
    const bytes = new TextEncoder().encode(content).length;
    assert.match(
      body.path,
      new RegExp(`^podcasts/${show.id}/e/${pilot.id}/transcripts/[0-9a-f-]{36}\\.${extension}$`),
    );
    assert.ok(!body.path.includes(request.path.match(/upload\/([0-9a-f-]{36})/)![1]), "the uploadId is not the key");
    assert.equal(body.publicUrl, `${stackInfo.url}/storage/v1/object/public/media/${body.path}`);
    assert.deepEqual([body.fileSize, body.contentType, body.language, body.rel], [bytes, type, "de-AT", "captions"]);
    assert.deepEqual(body.warnings, []);
    assert.deepEqual((await transcriptsOf(pilot)).at(-1), {
      id: body.transcriptId,
      type,
      language: "de-AT",
      rel: "captions",
      url: body.publicUrl,
      bytes,
    });
    const [{ stored }] =
      await sql`select metadata ->> 'mimetype' as stored from storage.objects where name = ${body.path}`;
    assert.equal(stored, type === "application/json" ? type : `${type}; charset=utf-8`);
    const served = await fetch(body.publicUrl);
    assert.equal(served.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.equal(await served.text(), content);
  }
});

Deno.test("a transcript's language and rel are optional, and other names of SRT are accepted", async () => {
  const pilot = await episode(show);
  for (const type of ["application/srt", "text/srt", "Application/X-SubRip; charset=utf-8"]) {
    const { contentType, language, rel } = await uploaded(show, pilot, {
      type,
      body: SAMPLES["application/x-subrip"][0],
    });
    assert.deepEqual([contentType, language, rel], ["application/x-subrip", null, null]);
  }
  assert.equal((await transcriptsOf(pilot)).length, 1);
});

Deno.test("a transcript is stored without a byte order mark, and HTML only with the tags of the allow-list", async () => {
  const pilot = await episode(show);
  const { publicUrl, fileSize } = await uploaded(show, pilot, { body: `\ufeff${VTT}` });
  assert.equal(await (await fetch(publicUrl)).text(), VTT);
  assert.equal(fileSize, new TextEncoder().encode(VTT).length);
  const html = await uploaded(show, pilot, {
    type: "text/html",
    body: "<p onclick=x()>Hi<script>alert(1)</script></p>",
  });
  assert.equal(await (await fetch(html.publicUrl)).text(), "<p>Hi</p>");
  assert.equal(html.fileSize, "<p>Hi</p>".length);
});

Deno.test("a transcript's upload returns 400 naming a missing or malformed parameter", async () => {
  const pilot = await episode(show);
  const wrong = {
    podcastId: [undefined, "1", ""],
    episodeId: [undefined, "not-an-id"],
    language: ["en_US", "", "a\0"],
    rel: ["subtitles", ""],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      assertError(await put(show, pilot, { query: { [name]: value } }), 400, { details: new RegExp(`^${name}:`) });
    }
  }
  assert.deepEqual(await objectsOf(pilot), []);
});

Deno.test("a transcript's upload returns 400 for other content types, and for a web page in place of a subtitle", async () => {
  const pilot = await episode(show);
  for (const type of ["audio/mpeg", "text/markdown", "application/xml", "multipart/form-data"]) {
    assertError(await put(show, pilot, { type }), 400, { code: "INVALID_CONTENT_TYPE" });
  }
  assertError(await put(show, pilot, { body: "<!DOCTYPE html><p>Not found" }), 400, {
    code: "INVALID_CONTENT_TYPE",
    details: "Declared as text/vtt, but the data is text/html",
  });
});

Deno.test("a transcript's upload is stored by the type of its bytes, also if the client knows none", async () => {
  const pilot = await episode(show), octets = "application/octet-stream";
  const sbv = "0:00:00.599,0:00:04.160\nHello\n", asVtt = "WEBVTT\n\n00:00:00.599 --> 00:00:04.160\nHello\n";
  const cases: [declared: string, body: string, type: string, stored: string, ...codes: string[]][] = [
    ...Object.entries(SAMPLES).map(([type, [body]]): [string, string, string, string] => [octets, body, type, body]),
    [octets, sbv, "text/vtt", asVtt, "FORMAT_CONVERTED"],
    ["text/plain", sbv, "text/vtt", asVtt, "FORMAT_CONVERTED"],
    ["text/plain", VTT, "text/vtt", VTT, "TYPE_CORRECTED"],
    ["application/srt", VTT, "text/vtt", VTT, "TYPE_CORRECTED"],
  ];
  for (const [declared, body, type, stored, ...codes] of cases) {
    const { contentType, publicUrl, warnings } = await uploaded(show, pilot, { type: declared, body });
    assert.deepEqual([contentType, warnings.map(({ code }: { code: string }) => code)], [type, codes]);
    assert.equal(await (await fetch(publicUrl)).text(), stored);
  }
  const bytes = new TextEncoder().encode(sbv); // fetch declares no type for bytes
  const { contentType } = await uploaded(show, pilot, { body: bytes, headers: { "content-type": "" } });
  assert.equal(contentType, "text/vtt");
});

Deno.test("a transcript that needs repairs is stored repaired, and the response lists them", async () => {
  const pilot = await episode(show);
  const { publicUrl, fileSize, warnings } = await uploaded(show, pilot, {
    body: "WEBVTT\n\n0:00:01.000 --> 0:00:02.000\nHi\n\n0:00:03.000 --> 0:00:03.000\nBye",
  });
  const stored = await (await fetch(publicUrl)).text();
  assert.equal(
    stored,
    "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHi\n\n00:00:03.000 --> 00:00:03.001\nBye\n",
  );
  assert.equal(fileSize, stored.length);
  assert.deepEqual(warnings, [
    {
      code: "TIME_NONSTANDARD",
      message: "The times of a cue are not written as the format requires; they were written again",
      count: 2,
      lines: [3, 6],
    },
    {
      code: "CUE_TOO_SHORT",
      message: "A cue does not end after its start; its end was set a millisecond after the start",
      count: 1,
      lines: [6],
    },
  ]);
});

Deno.test("an invalid transcript returns 400 INVALID_TRANSCRIPT with the line, and nothing is stored", async () => {
  const pilot = await episode(show);
  const files: [type: string, body: BodyInit, details: string][] = [
    ["text/vtt", "WEBVTT\r\n\r\nHello", "Line 3: expected the times of a cue, such as 00:00:01.000 --> 00:00:04.000"],
    ["application/x-subrip", "1\n2\n", "Line 1: expected the times of a cue, such as 00:00:01,000 --> 00:00:04,000"],
    ["application/json", '{"version": "1",\n"segments": [\n7]}', "Line 3: segments[0]: expected an object"],
    ["application/json", "[".repeat(100_000), "Line 1: JSON can have at most 16 levels"],
    ["text/plain", Uint8Array.of(0x61, 0x0a, 0xff), "Line 2: expected UTF-8; save the file in this encoding"],
    ["text/plain", "\n\0", "Line 1: expected visible text"],
  ];
  for (const [type, body, details] of files) {
    assertError(await put(show, pilot, { type, body }), 400, { code: "INVALID_TRANSCRIPT", details });
  }
  assert.deepEqual([await objectsOf(pilot), await transcriptsOf(pilot)], [[], []]);
});

Deno.test("a transcript's upload returns 400 for an empty body and 413 over 5 MB, with a length or streamed", async () => {
  const pilot = await episode(show);
  const streamed = (bytes: number) => new Blob(bytes ? ["x".repeat(bytes)] : []).stream();
  for (const body of [new Uint8Array(), streamed(0)]) {
    assertError(await put(show, pilot, { type: "text/plain", body }), 400, { code: "EMPTY_BODY" });
  }
  for (const body of ["x".repeat(CAP + 1), streamed(CAP + 1)]) {
    const expected = { code: "FILE_TOO_LARGE", maxBytes: CAP };
    assertError(await put(show, pilot, { type: "text/plain", body }), 413, expected);
  }
  assert.deepEqual(await objectsOf(pilot), []);
  for (const body of ["x".repeat(CAP), streamed(CAP)]) {
    assert.equal((await uploaded(show, pilot, { type: "text/plain", body })).fileSize, CAP);
  }
});

Deno.test("HTML whose sanitized form exceeds the allowance returns 409 and leaves no object", async () => {
  const full = await podcast("Full of text", "transcripts-full"), pilot = await episode(full);
  const { id } = await person("transcripts-full");
  await sql`update public.billing_accounts set storage_bytes_used = 1073741824 - 10 where user_id = ${id}`;
  // 10 bytes that become 14
  assertError(await put(full, pilot, { as: "admin", type: "text/html", body: "<p>&</p>xx" }), 409, {
    code: "STORAGE_ALLOWANCE_EXCEEDED",
  });
  assert.deepEqual([await objectsOf(pilot), await transcriptsOf(pilot)], [[], []]);
});
