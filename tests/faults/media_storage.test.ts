// Images, moves and completions whose storage fails: the error is reported, previous objects stay, abandoned ones are
// deleted, and a repeated request succeeds.
import assert from "node:assert/strict";
import {
  type ApiResponse,
  assertError,
  episode,
  person,
  podcast,
  type RequestOptions,
  sql,
  stackInfo,
  waitFor,
} from "../http/harness.ts";
import { MOVE } from "../http/api/artwork.ts";
import { complete, filled, path as direct } from "../http/api/direct_upload.ts";
import { assertGone, coversOf, named, objects, publicUrl, upload, uploaded } from "../http/api/images.ts";
import { byScale } from "../scale.ts";
import {
  type FaultyFunctions,
  isCopy,
  isRemoval,
  isStore,
  requestTo,
  startFaultyFunctions,
  testWithFaults,
} from "./faulty_functions.ts";
import { importArtwork, isStored } from "./storage_objects.ts";
import type { Fault } from "./storage_proxy.ts";

const show = await podcast("Unlucky pictures", "unlucky-storage"), owner = await person("unlucky-storage");
const as = { token: owner.token };

/** Storage fails before or after it acts, with an error or by a dropped connection. */
const FAULTS: Record<string, (is: (request: Request) => boolean) => Fault> = {
  "returns 500": (is) => (request) => is(request) ? new Response("the disk is full", { status: 500 }) : undefined,
  "acts and returns 500": (is) => (request, forward) =>
    is(request)
      ? forward().then(async (done) => (await done.body?.cancel(), new Response("late", { status: 500 })))
      : undefined,
  "drops the connection": (is) => (request) => is(request) ? dropped() : undefined,
  "acts and drops the connection": (is) => (request, forward) =>
    is(request) ? forward().then(async (done) => (await done.body?.cancel(), dropped())) : undefined,
};

/** A response that ends prematurely. */
const dropped = () =>
  new Response(new ReadableStream({ start: (body) => body.error(new Error("dropped")) }), {
    headers: { "content-type": "application/json" },
  });

/** Sends a request to functions whose storage has this fault. */
function requestWithFault(functions: FaultyFunctions, request: RequestOptions, fault: Fault): Promise<ApiResponse> {
  functions.storage.fault = fault;
  return requestTo(functions, request);
}

const assertStorageError = (response: ApiResponse) => {
  assertError(response, 500, { error: "The file could not be stored" });
  assert.ok(!/disk|late|dropped/.test(response.text), response.text);
};

for (const [how, fault] of Object.entries(FAULTS)) {
  testWithFaults(
    `an image upload keeps the previous image and leaves no new object when storage ${how}`,
    async (functions) => {
      const pilot = await episode(show), before = await uploaded(show, pilot), cover = await uploaded(show, "cover");
      for (const place of [pilot, "cover"] as const) {
        assertStorageError(
          await requestWithFault(functions, upload(show, place, { format: "jpeg", as }), fault(isStore)),
        );
      }
      assert.deepEqual(await coversOf(show, pilot), [before.path]);
      assert.deepEqual((await objects(show, "images/cover/")).at(-1), cover.path);
      assert.deepEqual([await named(show, pilot), await named(show, "cover")], [before.publicUrl, cover.publicUrl]);
      await uploaded(show, pilot, { format: "jpeg" });
      await assertGone(before.path);
    },
  );

  testWithFaults(
    `an artwork move keeps its source and can be repeated when storage ${how} during the copy`,
    async (functions) => {
      const source = await importArtwork(owner, 200), home = await podcast("Moved later", "unlucky-storage");
      const request = {
        method: "POST",
        path: MOVE,
        as,
        json: { sourcePath: source, podcastId: home.id, imageType: "profile" },
      };
      assertStorageError(await requestWithFault(functions, request, fault(isCopy)));
      assert.deepEqual([await isStored(source), await objects(home), await named(home, "profile")], [true, [], null]);
      const { status, body, text } = await requestWithFault(functions, request, () => undefined);
      assert.equal(status, 200, text);
      assert.equal(await named(home, "profile"), body.publicUrl);
      assert.deepEqual([await isStored(source), await objects(home)], [false, [body.path]]);
    },
  );

  testWithFaults(
    `a direct upload keeps its staged object and can be completed when storage ${how} during the copy`,
    async (functions) => {
      const pilot = await episode(show), { uploadId, uploadPath, finalPath } = await filled(show, pilot);
      const request = { method: "POST", path: `${direct}/complete`, as, json: { uploadId } };
      assertStorageError(await requestWithFault(functions, request, fault(isCopy)));
      assert.deepEqual([await isStored(uploadPath), await isStored(finalPath)], [true, false]);
      assert.equal((await complete(uploadId)).status, 200);
      assert.deepEqual([await isStored(uploadPath), await isStored(finalPath)], [false, true]);
    },
  );

  testWithFaults(
    `uploads, moves, completions and deletions return 200 and the queue deletes the object when storage ${how} on removal`,
    async (functions) => {
      const pilot = await episode(show), before = await uploaded(show, pilot), source = await importArtwork(owner, 200);
      const direct_ = await filled(show, pilot), home = await podcast("Cleared", "unlucky-storage");
      const header = await uploaded(home, "header");
      functions.storage.fault = fault(isRemoval);
      const responses: [RequestOptions, string][] = [
        [upload(show, pilot, { format: "jpeg", as }), before.path],
        [
          { method: "POST", path: MOVE, as, json: { sourcePath: source, podcastId: home.id, imageType: "profile" } },
          source,
        ],
        [{ method: "POST", path: `${direct}/complete`, as, json: { uploadId: direct_.uploadId } }, direct_.uploadPath],
        [{ method: "DELETE", path: `/api/media/image/${home.id}/header`, as }, header.path],
      ];
      for (const [request, gone] of responses) {
        const { status, text } = await requestTo(functions, request);
        assert.equal(status, 200, text);
        await waitFor(`${gone} is deleted`, async () => !await isStored(gone));
      }
      assert.equal(await named(home, "header"), null);
      assert.ok(await isStored(direct_.finalPath));
      assert.equal((await coversOf(show, pilot)).length, 1);
    },
  );
}

testWithFaults(
  "the sweep removes an object whose removal failed permanently, and the response reports the upload's error only",
  async (functions) => {
    const pilot = await episode(show);
    const response = await requestWithFault(functions, upload(show, pilot, { as }), (request, forward) => {
      if (isStore(request)) {
        return forward().then(async (done) => (await done.body?.cancel(), new Response("late", { status: 500 })));
      }
      if (isRemoval(request)) return new Response("no", { status: 500 });
    });
    assertStorageError(response);
    const [orphan, ...more] = await coversOf(show, pilot);
    assert.deepEqual([more, await named(show, pilot)], [[], null]);
    await sql`update storage.objects set created_at = now() - interval '8 days' where name = ${orphan}`;
    await sql`select private.sweep_storage()`;
    await waitFor("the orphan is swept", async () => !await isStored(orphan));
  },
);

testWithFaults(
  "an image upload returns 500 and removes the object when storage keeps fewer bytes than were sent",
  async (functions) => {
    const pilot = await episode(show), before = await uploaded(show, pilot);
    const response = await requestWithFault(functions, upload(show, pilot, { format: "jpeg", as }), (request) => {
      if (!isStore(request)) return;
      const headers = new Headers(request.headers);
      headers.delete("content-length");
      return fetch(stackInfo.url + new URL(request.url).pathname, { method: "POST", headers, body: "short" });
    });
    assertError(response, 500, { code: "SIZE_MISMATCH" });
    assert.deepEqual([await coversOf(show, pilot), await named(show, pilot)], [[before.path], before.publicUrl]);
  },
);

Deno.test({
  name: "uploads, moves and completions return 500 and change nothing when storage does not respond in time",
  ignore: byScale(0, 1) === 0, // it lasts as long as the timeout in functions/runtime/timeouts.ts
  sanitizeOps: false, // meanwhile the pool closes idle connections
  sanitizeResources: false,
  async fn() {
    const pilot = await episode(show),
      before = await uploaded(show, pilot),
      source = await importArtwork(owner, 200),
      pending = await filled(show, pilot);
    await using functions: FaultyFunctions = await startFaultyFunctions();
    const never = Promise.withResolvers<Response>();
    functions.storage.fault = (request) => isStore(request) || isCopy(request) ? never.promise : undefined;
    const responses = await Promise.all([
      upload(show, pilot, { format: "jpeg", as }),
      { method: "POST", path: MOVE, as, json: { sourcePath: source, podcastId: show.id, imageType: "profile" } },
      { method: "POST", path: `${direct}/complete`, as, json: { uploadId: pending.uploadId } },
    ].map((request) => requestTo(functions, request)));
    never.resolve(new Response("at last", { status: 500 }));
    responses.forEach(assertStorageError);
    assert.deepEqual([await coversOf(show, pilot), await named(show, pilot)], [[before.path], before.publicUrl]);
    assert.deepEqual([await isStored(source), await isStored(pending.uploadPath), await isStored(pending.finalPath)], [
      true,
      true,
      false,
    ]);
    assert.equal((await fetch(publicUrl(before.path), { method: "HEAD" })).status, 200);
  },
});
