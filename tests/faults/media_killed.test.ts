// Functions are killed while users upload images, move artwork and complete direct uploads: acknowledged changes are
// kept, others can be repeated, and no orphan is permanent.
import assert from "node:assert/strict";
import { type Episode, episode, person, podcast, sql, waitFor } from "../http/harness.ts";
import { MOVE, moving } from "../http/api/artwork.ts";
import { complete, filled, path as direct } from "../http/api/direct_upload.ts";
import { type Format, makeImage, named, objects, publicUrl, upload } from "../http/api/images.ts";
import type { FunctionsProcess } from "../functions.ts";
import { randomNumbers } from "../random.ts";
import { byScale } from "../scale.ts";
import {
  assertNoDrift,
  assertNoOrphans,
  assertQueuesEmpty,
  assertReferencedObjectsStored,
  killRepeatedly,
  orNullIfKilled,
  sanitize,
} from "./kill_functions.ts";
import { importArtwork, isStored, isUsed } from "./storage_objects.ts";

const FORMATS: Format[] = ["jpeg", "png"];
const show = await podcast("Killed pictures", "unlucky-pictures");
const owner = await person("unlucky-pictures"), authorization = `Bearer ${owner.token}`;

const post = (functions: FunctionsProcess, path: string, json: unknown) =>
  orNullIfKilled(fetch(functions.url + path, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify(json),
  }));

/** The path of the object that a column references. */
async function pathIn(place: "cover" | "header" | Episode) {
  const url = await named(show, place);
  return url?.split("?")[0].replace(publicUrl(""), "");
}

Deno.test({
  name: "image uploads in killed functions leave each column with a stored object and leave no orphans",
  ...sanitize,
  async fn() {
    const next = randomNumbers(20261125);
    const places: (Episode | "cover" | "header")[] = [
      await episode(show, "One"),
      await episode(show, "Two"),
      "cover",
      "header",
    ];
    const accepted = new Map<Episode | string, string>(); // the last upload that returned 200, by image
    const size = { width: 1400, height: 1400 }, header = { width: 1280, height: 200 };

    await killRepeatedly(byScale(5, 40), next, (functions) =>
      Promise.all(places.map(async (place) => {
        for (let turn = 0; turn < 4; turn++) {
          const format = FORMATS[turn % 2], bytes = 60_000 + Math.floor(next() * 200_000);
          const body = makeImage[format]({ ...place === "header" ? header : size, bytes });
          const { path, headers } = upload(show, place, { format, body });
          const response = await orNullIfKilled(
            fetch(functions.url + path, { method: "PUT", headers: { ...headers, authorization }, body }),
          );
          if (!response) return;
          assert.equal(response.status, 200, JSON.stringify(response.body));
          accepted.set(place, response.body.path);
        }
      })), () => accepted.size > 0);

    await assertQueuesEmpty();
    const used = await assertReferencedObjectsStored(show);
    for (const place of places) {
      const path = await pathIn(place);
      if (!path && !accepted.has(place)) continue;
      assert.ok(used.includes(path!), `${path} is used`);
      const served = await fetch(publicUrl(path!));
      await served.body?.cancel();
      assert.equal(served.status, 200);
    }
    await assertNoDrift(owner);
    await assertNoOrphans(`podcasts/${show.id}/`);
    assert.deepEqual((await objects(show)).sort(), used.sort());
  },
});

Deno.test({
  name: "a killed artwork move leaves the object at its source or its destination and can be repeated",
  ...sanitize,
  async fn() {
    const next = randomNumbers(20261126), home = await podcast("Killed moves", "unlucky-pictures");
    const sources: string[] = [], moved = new Set<string>();
    for (let n = 0; n < byScale(20, 150); n++) sources.push(await importArtwork(owner, 200));

    const left = [...sources];
    await killRepeatedly(byScale(4, 30), next, (functions) =>
      Promise.all(Array.from({ length: 3 }, async () => {
        for (let source = left.shift(); source; source = left.shift()) {
          const response = await post(functions, MOVE, {
            sourcePath: source,
            podcastId: home.id,
            imageType: "profile",
          });
          if (!response) return;
          assert.equal(response.status, 200, JSON.stringify(response.body));
          moved.add(source);
          await new Promise((resolve) => setTimeout(resolve, 20)); // so that each kill has requests left
        }
      })), () => moved.size > 0);

    await assertQueuesEmpty();
    const target = (source: string) => `podcasts/${home.id}/images/profile/${source.split("/").at(-1)}`;
    const present = await objects(home);
    for (const source of sources) {
      const isThere = await isStored(source), arrived = present.includes(target(source));
      assert.ok(isThere || arrived, "neither here nor there");
      if (moved.has(source)) assert.deepEqual([isThere, arrived], [false, true]);
    }
    for (const source of sources.filter((source) => !moved.has(source))) {
      const { status, text } = await moving({ token: owner.token }, source, home, "profile");
      // moved before the functions were killed, and replaced since: its source no longer exists
      if (status !== 200) {
        assert.deepEqual([status, await isStored(source), await isUsed(target(source))], [404, false, false], text);
      }
    }
    const used = await assertReferencedObjectsStored(home);
    assert.equal(used.length, 1);
    await assertNoDrift(owner);
    await assertNoOrphans(`podcasts/${home.id}/`, `imports/${owner.id}/`);
    assert.deepEqual(await objects(home), used);
    assert.deepEqual(await Promise.all(sources.map(isStored)), sources.map(() => false));
  },
});

Deno.test({
  name: "direct uploads whose completion was killed can be completed once",
  ...sanitize,
  async fn() {
    const next = randomNumbers(20261127), there = await podcast("Killed completions", "unlucky-pictures");
    const uploads = [], done = new Set<string>();
    for (let n = 0; n < byScale(16, 90); n++) {
      const one = await episode(there, `Number ${n}`), body = new Uint8Array(50_000 + n).fill(n);
      uploads.push({ episode: one, bytes: body.length, ...await filled(there, one, body) });
    }

    const left = [...uploads];
    await killRepeatedly(byScale(4, 30), next, (functions) =>
      Promise.all(Array.from({ length: 3 }, async () => {
        for (let upload = left.shift(); upload; upload = left.shift()) {
          const response = await post(functions, `${direct}/complete`, { uploadId: upload.uploadId, duration: 7 });
          if (!response) return;
          assert.equal(response.status, 200, JSON.stringify(response.body));
          done.add(upload.uploadId);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })), () => done.size > 0);

    for (const { uploadId, publicUrl, bytes } of uploads) {
      const { status, body, text } = await complete(uploadId, { duration: 7 });
      assert.equal(status, 200, text);
      assert.deepEqual([body.publicUrl, body.fileSize, body.durationSeconds], [publicUrl, bytes, 7]);
    }
    await assertQueuesEmpty();
    assert.deepEqual((await objects(there)).sort(), uploads.map(({ finalPath }) => finalPath).sort());
    assert.deepEqual(
      (await assertReferencedObjectsStored(there)).sort(),
      uploads.map(({ finalPath }) => finalPath).sort(),
    );
    await waitFor("no staged object is left", async () => {
      const [{ staged }] = await sql`
        select count(*)::int as staged from storage.objects where name like ${`uploads/${there.id}/%`}`;
      return staged === 0;
    });
    await assertNoDrift(owner);
    await assertNoOrphans(`podcasts/${there.id}/`, `uploads/${there.id}/`);
    assert.equal((await objects(there)).length, uploads.length);
  },
});
