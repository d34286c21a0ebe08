// Direct uploads that are completed, replaced or overwritten during their completion, and concurrent artwork moves.
import assert from "node:assert/strict";
import {
  addMember,
  type ApiResponse,
  assertError,
  episode,
  person,
  type Podcast,
  podcast,
  type RequestOptions,
  sql,
  waitFor,
} from "../http/harness.ts";
import { MOVE, moving } from "../http/api/artwork.ts";
import { named, objects } from "../http/api/images.ts";
import { audioOf, objectsOf, put } from "../http/api/audio.ts";
import { complete, fill, filled, type Opened, path, stagedOf } from "../http/api/direct_upload.ts";
import { importArtwork, isStored } from "./storage_objects.ts";
import {
  type FaultyFunctions,
  isCopy,
  pauseRequest,
  requestTo,
  startFaultyFunctions,
  testBesideFaults,
  testWithFaults,
} from "./faulty_functions.ts";
import { within } from "../wait_for.ts";

const show = await podcast("Crowded", "crowded");

/** Sends the request, and runs `before` before storage copies. */
async function duringRequest(
  functions: FaultyFunctions,
  request: RequestOptions,
  before: () => Promise<unknown>,
): Promise<ApiResponse> {
  const copying = pauseRequest(functions.storage, isCopy);
  const pending = requestTo(functions, request);
  try {
    await within("the copy", Promise.race([copying.reached, pending]));
    await before();
  } finally {
    copying.release();
  }
  return await pending;
}

const completed = (functions: FaultyFunctions, { uploadId }: Opened, before: () => Promise<unknown>) => {
  const json = { uploadId, duration: 61 };
  return duringRequest(functions, { method: "POST", path: `${path}/complete`, as: "admin", json }, before);
};

const bytesOf = async (url: string) => await (await fetch(url)).text();
const isStaged = async (podcast: Podcast, { uploadPath }: Opened) => (await stagedOf(podcast)).includes(uploadPath);

testWithFaults(
  "a completion returns the same response when another request completes the upload during the copy",
  async (functions) => {
    const pilot = await episode(show), upload = await filled(show, pilot);
    let other!: ApiResponse;
    const response = await completed(
      functions,
      upload,
      async () => other = await complete(upload.uploadId, { duration: 61 }),
    );
    assert.deepEqual([response.status, response.text], [200, other.text]);
    assert.deepEqual(await objectsOf(pilot), [upload.finalPath]);
    assert.equal(await bytesOf(upload.publicUrl), "some audio");
  },
);

testWithFaults(
  "a sweep during the copy does not end the completion, even when the upload is a day old",
  async (functions) => {
    const pilot = await episode(show), upload = await filled(show, pilot);
    const response = await completed(functions, upload, async () => {
      await sql`update private.direct_uploads set created_at = now() - interval '25 hours' where id = ${upload.uploadId}`;
      await sql`select private.sweep_staging()`;
      assert.deepEqual(await queuedFor(upload), []);
    });
    assert.equal(response.status, 200, response.text);
    assert.equal(await bytesOf(upload.publicUrl), "some audio");
  },
);

testWithFaults(
  "a direct upload begun during the copy does not replace the upload that is being completed",
  async (functions) => {
    const pilot = await episode(show), upload = await filled(show, pilot);
    let later!: Opened;
    const response = await completed(functions, upload, async () => later = await filled(show, pilot, "too late"));
    assert.equal(response.status, 200, response.text);
    assert.equal((await audioOf(pilot)).url, upload.publicUrl);
    assertError(await complete(later.uploadId), 409, { code: "CONCURRENT_REPLACEMENT" });
  },
);

testBesideFaults(
  "a completion killed during the copy can be repeated at once, and is swept if it is not repeated",
  async () => {
    const [pilot, lost] = [await episode(show), await episode(show)];
    const [repeated, left] = [await filled(show, pilot), await filled(show, lost)];
    for (const { uploadId } of [repeated, left]) {
      await using functions = await startFaultyFunctions();
      const copying = pauseRequest(functions.storage, isCopy);
      const pending = requestTo(functions, {
        method: "POST",
        path: `${path}/complete`,
        as: "admin",
        json: { uploadId },
      });
      const ended = pending.then(() => "answered", () => "died");
      await within("the copy", copying.reached);
      Deno.kill(functions.pid, "SIGKILL");
      assert.equal(await ended, "died");
      copying.release();
    }
    assert.equal((await complete(repeated.uploadId)).status, 200);
    assert.deepEqual(await objectsOf(pilot), [repeated.finalPath]);

    await sql`update private.direct_uploads set created_at = now() - interval '25 hours' where id = ${left.uploadId}`;
    await sql`select private.sweep_staging()`;
    assert.equal(await isStaged(show, left), true, "the lease still runs");
    await sql`update private.direct_uploads set lease_expires_at = now() where id = ${left.uploadId}`;
    await sql`select private.sweep_staging()`;
    await waitFor("the staged object is deleted", async () => !await isStaged(show, left));
    await waitFor("the copy is deleted", async () => (await objectsOf(lost)).length === 0);
    assertError(await complete(left.uploadId), 404);
  },
);

testWithFaults(
  "a failed completion releases its lease, so that the next direct upload replaces it",
  async (functions) => {
    const pilot = await episode(show), upload = await filled(show, pilot);
    functions.storage.fault = (request) => isCopy(request) ? new Response("no", { status: 500 }) : undefined;
    const json = { uploadId: upload.uploadId };
    const response = await requestTo(functions, { method: "POST", path: `${path}/complete`, as: "admin", json });
    assert.equal(response.status, 500, response.text);
    await filled(show, pilot, "again");
    assertError(await complete(upload.uploadId), 409, { code: "CONCURRENT_REPLACEMENT" });
  },
);

/** Messages that would delete the staged object. */
const queuedFor = async ({ uploadPath }: Opened) => [
  ...await sql`select msg_id from pgmq.q_storage_gc where message -> 'paths' ? ${uploadPath}`,
];

testWithFaults("bytes uploaded after the completion never reach the served audio", async (functions) => {
  for (const later of ["SOME AUDIO", "much longer than what was measured and charged"]) {
    const pilot = await episode(show), upload = await filled(show, pilot);
    const response = await completed(functions, upload, async () => {
      assert.equal((await complete(upload.uploadId, { duration: 61 })).status, 200);
      assert.equal(await fill(upload, later), 200); // the token is still valid, and its key is free
    });
    assert.equal(response.status, 200, response.text);
    assert.equal(await bytesOf(upload.publicUrl), "some audio");
    assert.equal((await audioOf(pilot)).bytes, 10);
    assert.deepEqual(await objectsOf(pilot), [upload.finalPath]);
  }
});

testWithFaults(
  "a completion returns 409 and leaves no object when the audio is replaced during the copy",
  async (functions) => {
    const pilot = await episode(show), upload = await filled(show, pilot);
    let other!: ApiResponse;
    const response = await completed(
      functions,
      upload,
      async () => other = await put(show, pilot, { as: "admin", body: "the other" }),
    );
    assertError(response, 409, { code: "CONCURRENT_REPLACEMENT" });
    assert.deepEqual(await objectsOf(pilot), [other.body.path]);
    assert.equal((await audioOf(pilot)).url, other.body.publicUrl);
    await waitFor("the staged object is deleted", async () => !await isStaged(show, upload));
    assertError(await complete(upload.uploadId), 409, { code: "CONCURRENT_REPLACEMENT" });
  },
);

testWithFaults(
  "a completion returns 409 and keeps the staged object when the allowance is used up during the copy",
  async (functions) => {
    const { id } = await person("crowded");
    const assertStorageUsed = (bytes: number) =>
      sql`update public.billing_accounts set storage_bytes_used = storage_bytes_used + ${bytes} where user_id = ${id}`;
    const pilot = await episode(show), { body: before } = await put(show, pilot, { as: "admin", body: "before" });
    const upload = await filled(show, pilot);
    const response = await completed(functions, upload, () => assertStorageUsed(1_073_741_824));
    try {
      assert.deepEqual([response.status, response.body.code], [409, "STORAGE_ALLOWANCE_EXCEEDED"], response.text);
      assert.deepEqual(await objectsOf(pilot), [before.path]);
      assert.equal((await audioOf(pilot)).url, before.publicUrl);
      assert.equal(await isStaged(show, upload), true);
    } finally {
      await assertStorageUsed(-1_073_741_824);
    }
    assert.equal((await complete(upload.uploadId)).status, 200);
    assert.equal((await audioOf(pilot)).url, upload.publicUrl);
  },
);

testWithFaults(
  "a completion returns 403 and serves nothing when the caller loses the role during the copy",
  async (functions) => {
    const pilot = await episode(show), upload = await filled(show, pilot), admin = await person("admin");
    const response = await completed(
      functions,
      upload,
      () => sql`delete from public.podcast_members where podcast_id = ${show.id} and user_id = ${admin.id}`,
    );
    await addMember(show, admin, "admin");
    assertError(response, 403);
    assert.deepEqual(await objectsOf(pilot), []);
    assert.equal((await audioOf(pilot)).url, null);
  },
);

testWithFaults(
  "a completion returns 404 and leaves no object when the episode is deleted during the copy",
  async (functions) => {
    const pilot = await episode(show), upload = await filled(show, pilot);
    const response = await completed(functions, upload, () => sql`delete from public.episodes where id = ${pilot.id}`);
    assertError(response, 404);
    assert.deepEqual(await objectsOf(pilot), []);
  },
);

testWithFaults("a move returns 200 when another request moves the artwork during the copy", async (functions) => {
  const admin = await person("admin"), source = await importArtwork(admin), as = { token: admin.token };
  const json = { sourcePath: source, podcastId: show.id, imageType: "cover" };
  let other!: ApiResponse;
  const response = await duringRequest(functions, { method: "POST", path: MOVE, as, json }, async () => {
    other = await moving(as, source, show, "cover");
    assert.equal(other.status, 200, other.text);
  });
  assert.deepEqual([response.status, response.body.path], [200, other.body.path], response.text);
  assert.deepEqual([await isStored(source), await objects(show, "images/cover/")], [false, [other.body.path]]);
  assert.equal(await named(show, "cover"), other.body.publicUrl);
});

testWithFaults(
  "one of two concurrent moves to different podcasts succeeds, and the other returns 404",
  async (functions) => {
    const admin = await person("admin"), source = await importArtwork(admin), as = { token: admin.token };
    const [here, there] = [await podcast("Moved here", "crowded"), await podcast("Moved there", "crowded")];
    const json = { sourcePath: source, podcastId: here.id, imageType: "cover" };
    const response = await duringRequest(functions, { method: "POST", path: MOVE, as, json }, async () => {
      assert.equal((await moving(as, source, there, "cover")).status, 200);
    });
    assertError(response, 404);
    assert.deepEqual([await objects(here), await named(here, "cover")], [[], null]);
    assert.equal((await objects(there)).length, 1);
  },
);
