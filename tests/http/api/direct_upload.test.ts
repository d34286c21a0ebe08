// POST /api/media/audio/direct-upload: permissions, limits and signed URLs for audio that is too large for a function.
import assert from "node:assert/strict";
import {
  assertError,
  assertKeys,
  type Episode,
  episode,
  person,
  podcast,
  type RequestOptions,
  sendRequest,
  sql,
  stackInfo,
} from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { TYPES } from "./audio.ts";
import { begin, beginBody, complete, fill, opened, path, stagedOf } from "./direct_upload.ts";

const show = await podcast("Directly"), pilot = await episode(show);
const request = () => Promise.resolve({ path, json: beginBody(show, pilot) });

assertAccessMatrix(`POST ${path}`, request, { anon: 401, stranger: 403, member: 403 });

Deno.test("beginning a direct upload returns the signed URL, the token and the resumable endpoint to an admin and the owner", async () => {
  for (const as of ["admin", "owner"] as const) {
    for (const [contentType, extension] of Object.entries(TYPES)) {
      const requestedAt = Date.now();
      const { status, body, text } = await begin(show, pilot, { contentType }, as);
      assert.equal(status, 200, text);
      assertKeys(
        body,
        "uploadId",
        "uploadUrl",
        "uploadPath",
        "token",
        "resumableUrl",
        "finalPath",
        "publicUrl",
        "contentType",
        "maxSize",
        "expiresAt",
        "completeEndpoint",
      );
      assert.match(body.uploadId, /^[0-9a-f-]{36}$/);
      const file = `[0-9a-f-]{36}\\.${extension}`;
      assert.match(body.uploadPath, new RegExp(`^uploads/${show.id}/${file}$`));
      assert.match(body.finalPath, new RegExp(`^podcasts/${show.id}/e/${pilot.id}/audio/${file}$`));
      assert.equal(body.publicUrl, `${stackInfo.url}/storage/v1/object/public/media/${body.finalPath}`);
      const signed = `${stackInfo.url}/storage/v1/object/upload/sign/staging/${body.uploadPath}`;
      assert.equal(body.uploadUrl, `${signed}?token=${body.token}`);
      assert.equal(body.resumableUrl, `${stackInfo.url}/storage/v1/upload/resumable/sign`);
      assert.deepEqual([body.contentType, body.maxSize], [contentType, 524_288_000]);
      assert.equal(body.completeEndpoint, `${path}/complete`);
      assert.match(body.expiresAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const hours = (Date.parse(body.expiresAt) - requestedAt) / 3_600_000;
      assert.ok(hours > 1.9 && hours < 2.1, `${hours} hours`);
    }
  }
});

Deno.test("a direct upload may declare 500 MB and not one byte more", async () => {
  assert.equal((await begin(show, pilot, { fileSize: 524_288_000 })).status, 200);
  assertError(await begin(show, pilot, { fileSize: 524_288_001 }), 400, {
    code: "FILE_TOO_LARGE",
    maxBytes: 524_288_000,
  });
  for (const fileSize of [0, -1]) assertError(await begin(show, pilot, { fileSize }), 400);
});

Deno.test("beginning a direct upload returns 400 naming a missing or malformed field or another type", async () => {
  for (const name of Object.keys(beginBody(show, pilot))) {
    assertError(await begin(show, pilot, { [name]: undefined }), 400, { details: new RegExp(`^${name}:`) });
  }
  const wrong = { podcastId: ["1", null], episodeId: [7], contentType: [7], filename: ["", 7], fileSize: [1.5, "9"] };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      assertError(await begin(show, pilot, { [name]: value }), 400, { details: new RegExp(`^${name}:`) });
    }
  }
  for (const contentType of ["image/png", "audio/ogg", "audio/MPEG", ""]) {
    assertError(await begin(show, pilot, { contentType }), 400, { code: "INVALID_CONTENT_TYPE" });
  }
});

Deno.test("beginning a direct upload returns 404 for an episode of another podcast and for unknown ids", async () => {
  const other = await podcast("Undirected"), theirs = await episode(other);
  assertError(await begin(show, theirs), 404);
  assertError(await begin(other, pilot), 404);
  assertError(await begin(show, { ...pilot, id: crypto.randomUUID() }), 404);
  assertError(await begin({ ...show, id: crypto.randomUUID() }, pilot), 404);
});

Deno.test("beginning a direct upload returns 409 when the declared size exceeds the allowance, not counting the upload it replaces", async () => {
  const full = await podcast("Directly full", "direct-full"), one = await episode(full), two = await episode(full);
  const three = await episode(full);
  const { id } = await person("direct-full");
  const first = await opened(full, one);
  await fill(first, new Uint8Array(1000));
  assert.equal((await complete(first.uploadId)).status, 200);
  await sql`update public.billing_accounts set storage_bytes_used = 1073741824 - 10 where user_id = ${id}`;
  assertError(await begin(full, two, { fileSize: 11 }), 409, {
    code: "STORAGE_ALLOWANCE_EXCEEDED",
    bytes_used: 1_073_741_814,
    bytes_limit: 1_073_741_824,
    bytes_requested: 11,
  });
  assert.equal((await begin(full, two, { fileSize: 10 })).status, 200);
  assert.equal((await begin(full, one, { fileSize: 1000 })).status, 200, "the replaced audio is not counted");
  assertError(await begin(full, three, { fileSize: 1 }), 409, {
    code: "STORAGE_ALLOWANCE_EXCEEDED",
    bytes_used: 1_073_741_814,
    bytes_limit: 1_073_741_824,
    bytes_requested: 1 + 10 + 1000, // open uploads count
  });
  assert.equal((await begin(full, one, { fileSize: 990 })).status, 200, "a second direct upload replaces the open one");
});

Deno.test("an account has at most a hundred open direct uploads, and a completion allows another", async () => {
  const busy = await podcast("Busy", "direct-busy");
  const made = await sql<{ id: string }[]>`
    insert into public.episodes (podcast_id, title) select ${busy.id}, 'No. ' || n from generate_series(1, 105) n returning id`;
  const waiting = made.map(({ id }) => ({ id } as Episode)), last = waiting.pop()!;
  const responses = await Promise.all(waiting.map((one) => begin(busy, one)));
  const [taken, refused] = [200, 429].map((status) => responses.filter((response) => response.status === status));
  assert.deepEqual([taken.length, refused.length], [100, 4]);
  for (const response of refused) assertError(response, 429, { code: "TOO_MANY_OPEN_UPLOADS" });

  const [{ body }] = taken;
  await fill(body);
  assert.equal((await complete(body.uploadId)).status, 200);
  assert.equal((await begin(busy, last)).status, 200);
  assertError(await begin(busy, await episode(busy)), 429, { code: "TOO_MANY_OPEN_UPLOADS" });
  assert.equal((await begin(busy, last)).status, 200, "a replacement is not counted as another upload");
  assert.equal((await begin(show, pilot)).status, 200, "another account has its own limit");
});

Deno.test("beginning a direct upload over max_direct_uploads_per_hour returns 429 with rate_limit_reset_at", async () => {
  const busy = await podcast("Often", "direct-often"),
    one = await episode(busy),
    { id, token } = await person("direct-often");
  assert.equal((await begin(busy, one, {}, { token })).status, 200);
  await sql`update private.rate_limits set request_count = 600 where key = ${`direct_uploads:${id}`}`;
  const response = await begin(busy, one, {}, { token });
  assertError(response, 429, { code: "RATE_LIMITED", rate_limit_reset_at: /^\d{4}-/ });
  assert.equal((await begin(show, pilot)).status, 200, "another user is not limited by it");
});

Deno.test("a direct upload's token stores one object under its own key and nothing elsewhere", async () => {
  const place = await episode(show), upload = await opened(show, place);
  const put = async (url: string) => {
    const response = await fetch(url, { method: "PUT", headers: { "content-type": "audio/mpeg" }, body: "x" });
    await response.body?.cancel();
    return response.ok;
  };
  const { uploadUrl, uploadPath, finalPath, token } = upload;
  assert.equal(await put(uploadUrl.replace(uploadPath, finalPath)), false, "not under the final key");
  assert.equal(await put(uploadUrl.replace(uploadPath, `uploads/${show.id}/mine.mp3`)), false, "nor another one");
  assert.equal(
    await put(uploadUrl.replace(token, `${token.slice(0, -4)}AAAA`)),
    false,
    "nor with a token of one's own",
  );
  assert.equal(await put(uploadUrl.split("?")[0]), false, "nor without one");
  assert.equal(await put(uploadUrl), true);
  assert.equal(await put(uploadUrl), false, "and not twice");
  assert.deepEqual((await stagedOf(show)).filter((name) => name === uploadPath), [uploadPath]);
});

Deno.test("users may not write to the bucket with an access token, with either API key", async () => {
  const { uploadPath, finalPath } = await opened(show, pilot);
  for (const as of ["owner", "admin", "anon"] as const) {
    for (const key of [uploadPath, finalPath]) {
      const response = await write(key, as);
      assert.ok(response.status >= 400 && response.status < 500, `${as}, ${key}: ${response.status}`);
    }
  }
});

async function write(key: string, as: RequestOptions["as"]): Promise<Response> {
  const token = as === "anon" ? stackInfo.publishableKey : (await person(as as string)).token;
  const response = await fetch(`${stackInfo.url}/storage/v1/object/media/${key}`, {
    method: "POST",
    headers: { apikey: stackInfo.publishableKey, authorization: `Bearer ${token}`, "content-type": "audio/mpeg" },
    body: "x",
  });
  await response.body?.cancel();
  return response;
}

Deno.test("beginning a direct upload returns 400 for a body that is not a JSON object", async () => {
  for (const body of ["", "{", "[]", "null"]) {
    assertError(
      await sendRequest({ method: "POST", path, as: "admin", headers: { "content-type": "application/json" }, body }),
      400,
    );
  }
});
