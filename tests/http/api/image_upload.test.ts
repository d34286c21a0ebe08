// PUT /api/media/upload/{uploadId}: storage, columns, serving and permissions.
import assert from "node:assert/strict";
import { assertSame, EXTENSION, FOREVER, named, objects, picture } from "./images.ts";
import { publicUrl, put, SPEC, stream, TYPES, upload, uploaded, UUID } from "./images.ts";
import { TYPE } from "../../image_fixtures.ts";
import {
  assertError,
  assertKeys,
  callRpc,
  episode,
  person,
  podcast,
  sendRequest,
  stackInfo,
  waitFor,
} from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { put as putAudio } from "./audio.ts";

const show = await podcast("Illustrated"), matrix = await episode(show);
const errorStatuses = { anon: 401, stranger: 403, member: 403 } as const;

assertAccessMatrix("PUT /api/media/upload/:uploadId", () => Promise.resolve(upload(show, "cover")), errorStatuses);
assertAccessMatrix(
  "PUT /api/media/upload/:uploadId (episode_cover)",
  () => Promise.resolve(upload(show, matrix)),
  errorStatuses,
);

Deno.test("an uploaded image of each type and format gets a key from the server, and its column references it", async () => {
  const illustrated = await podcast("All images");
  for (const imageType of TYPES) {
    for (const format of SPEC[imageType].formats) {
      const place = imageType === "episode_cover" ? await episode(illustrated) : imageType;
      const request = upload(illustrated, place, { format });
      const { status, body, text } = await sendRequest(request);
      assert.equal(status, 200, text);
      assertKeys(body, "success", "path", "publicUrl");
      assert.equal(body.success, true);
      const folder = typeof place === "string" ? `images/${place}` : `e/${place.id}/images`;
      assert.match(body.path, new RegExp(`^podcasts/${illustrated.id}/${folder}/${UUID}\\.${EXTENSION[format]}$`));
      const [url, version] = body.publicUrl.split("?v=");
      assert.equal(url, publicUrl(body.path));
      assert.match(version, /^\d{13}$/);
      assert.equal(await named(illustrated, place), body.publicUrl);
    }
  }
});

Deno.test("an uploaded image is served at its public URL with its bytes, type and an immutable cache header", async () => {
  for (const imageType of TYPES) {
    const format = SPEC[imageType].formats.at(-1)!, body = picture(imageType, format);
    const place = imageType === "episode_cover" ? await episode(show) : imageType;
    const { publicUrl } = await uploaded(show, place, { format, body });
    const served = await fetch(publicUrl);
    assert.equal(served.status, 200);
    assertSame(new Uint8Array(await served.arrayBuffer()), body);
    assert.equal(served.headers.get("content-type"), TYPE[format]);
    assert.equal(served.headers.get("cache-control"), FOREVER);
  }
});

Deno.test("an image upload accepts a streamed body and ignores case and parameters of the type", async () => {
  const body = picture("banner", "webp");
  const { path } = await uploaded(show, "banner", { body: stream(body), type: "Image/WebP; q=1" });
  const served = await fetch(publicUrl(path));
  assertSame(new Uint8Array(await served.arrayBuffer()), body);
  assert.equal(served.headers.get("content-type"), "image/webp");
});

Deno.test("an uploadId used twice stores two objects, and neither overwrites the other", async () => {
  const twice = await podcast("Twice"), path = upload(twice, "banner").path;
  const id = path.match(UUID)![0], bodies = [picture("banner"), picture("banner")];
  const [one, two] = [
    await uploaded(twice, "banner", { path, body: bodies[0] }),
    await uploaded(twice, "banner", { path, body: bodies[1] }),
  ];
  assert.notEqual(one.path, two.path);
  assert.ok(!one.path.includes(id) && !two.path.includes(id));
  for (const [n, { publicUrl }] of [one, two].entries()) {
    assertSame(new Uint8Array(await (await fetch(publicUrl)).arrayBuffer()), bodies[n]);
  }
});

Deno.test("an image upload returns 400 naming a missing or malformed parameter", async () => {
  const wrong = {
    podcastId: [undefined, "1"],
    imageType: [undefined, "artwork", "Cover", "profile"],
    episodeId: ["not-an-id"],
  };
  const before = await objects(show);
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const details = new RegExp(`^${name}:`);
      assertError(await put(show, "cover", { query: { [name]: value } }), 400, { details });
    }
  }
  assertError(await put(show, matrix, { query: { episodeId: undefined } }), 400, { details: /^episodeId:/ });
  const { path } = upload(show, "cover");
  assertError(await put(show, "cover", { path: path.replace(/upload\/[^?]+/, "upload/mine") }), 400, {
    details: /^uploadId:/,
  });
  assert.deepEqual(await objects(show), before);
});

Deno.test("an image upload returns 404 for an episode of another podcast and for unknown ids", async () => {
  const other = await podcast("Elsewhere, illustrated"), theirs = await episode(other);
  assertError(await put(show, theirs), 404);
  assertError(await put(other, matrix), 404);
  assertError(await put(show, { ...matrix, id: crypto.randomUUID() }), 404);
  assertError(await put({ ...show, id: crypto.randomUUID() }, "cover"), 404);
  assert.deepEqual([await objects(other), await objects(show, `e/${matrix.id}`)], [[], []]);
});

Deno.test("an image upload checks the caller's role before the body's size and content", async () => {
  for (const body of [new Uint8Array(SPEC.cover.maxSize + 1), new Uint8Array(10)]) {
    for (const [as, status] of Object.entries(errorStatuses)) {
      assertError(await put(show, "cover", { body, as: as as keyof typeof errorStatuses }), status);
    }
  }
});

Deno.test("an image upload ignores episodeId for podcast images", async () => {
  const { path } = await uploaded(show, "banner", { query: { episodeId: matrix.id } });
  assert.match(path, /\/images\/banner\//);
  assert.equal(await named(show, matrix), null);
});

Deno.test("the feed of a published podcast references its new cover and an episode's own", async () => {
  const show = await podcast("Heard"), pilot = await episode(show);
  await putAudio(show, pilot);
  await callRpc(await person("admin"), "publish_episode", { episode_id: pilot.id });
  const feed = async () => await (await fetch(`${stackInfo.functionsUrl}/public/feeds/${show.slug}.xml`)).text();
  const images = async (of: "channel" | "item") => {
    const [channel, item] = (await feed()).split("<item>");
    return [...(of === "item" ? item ?? "" : channel).matchAll(/<itunes:image href="([^"]*)"/g)].map(([, url]) => url);
  };
  const shows = (of: "channel" | "item", url: string) =>
    waitFor(`the feed's ${of} names ${url}`, async () => (await images(of)).join() === url);
  const first = await uploaded(show, "cover");
  await shows("channel", first.publicUrl);
  await shows("item", first.publicUrl);
  const own = await uploaded(show, pilot, { format: "jpeg" });
  await shows("item", own.publicUrl);
  const second = await uploaded(show, "cover");
  await shows("channel", second.publicUrl);
  await shows("item", own.publicUrl);
});
