// POST /api/media/import-artwork: storage, columns and permissions.
import assert from "node:assert/strict";
import { TYPE } from "../../image_fixtures.ts";
import { assertError, assertKeys, person, podcast, scheduleDeletion, sendRequest, sql } from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { assertServed, entry, httpResponse, IMPORT, importing, importsOf, MIN_SIZES, picture } from "./artwork.ts";
import { served, source, TYPES } from "./artwork.ts";
import { EXTENSION, type Format, ledger, named, newUserName, objects, publicUrl, UUID } from "./images.ts";

const show = await podcast("Imported artwork"), neverAsked = await source(served("cover"));
const request = (podcastId?: string) => () =>
  Promise.resolve({ path: IMPORT, json: { url: neverAsked.url, podcastId } });

assertAccessMatrix(`POST ${IMPORT}`, request(show.id), { anon: 401, stranger: 403, member: 403 });
assertAccessMatrix(`POST ${IMPORT} (without a podcast)`, request(), { anon: 401 });

Deno.test("an artwork import by rejected callers fetches nothing", () => assert.deepEqual(neverAsked.requests, []));

const formatsOf = (imageType: string): Format[] => imageType === "cover" ? ["jpeg", "png"] : ["jpeg", "png", "webp"];

Deno.test("an artwork import without a podcast stores temporary artwork of each type and format under its user", async () => {
  const me = newUserName("collector"), { id, token } = await person(me);
  const paths: string[] = [];
  for (const imageType of TYPES) {
    for (const format of formatsOf(imageType)) {
      const bytes = picture(imageType, format);
      await using from = await source(httpResponse(bytes, { type: TYPE[format] }));
      const { status, body, text } = await importing({ token }, { url: from.url, imageType });
      assert.equal(status, 200, text);
      assertKeys(body, "success", "path", "publicUrl", "dimensions", "isTemporary");
      assert.equal(body.success, true);
      assert.equal(body.isTemporary, true);
      assert.deepEqual(body.dimensions, MIN_SIZES[imageType]);
      assert.match(body.path, new RegExp(`^imports/${id}/${UUID}\\.${EXTENSION[format]}$`));
      const [url, version] = body.publicUrl.split("?v=");
      assert.equal(url, publicUrl(body.path));
      assert.match(version, /^\d{13}$/);
      await assertServed(body.publicUrl, bytes, format);
      paths.push(body.path);
      assert.deepEqual(await entry(body.path), {
        account_id: id,
        podcast_id: null,
        usage: "temporary",
        bytes: bytes.length,
        content_type: TYPE[format],
        ...MIN_SIZES[imageType],
        live: true,
      });
    }
  }
  assert.deepEqual(await importsOf(me), paths);
});

Deno.test("an artwork import with a podcast sets its image column, for each type and format", async () => {
  const illustrated = await podcast("All artwork"), owner = await person("owner");
  const own = await importsOf("admin");
  for (const imageType of TYPES) {
    for (const format of formatsOf(imageType)) {
      const bytes = picture(imageType, format);
      await using from = await source(httpResponse(bytes, { type: TYPE[format] }));
      const { status, body, text } = await importing("admin", { url: from.url, imageType, podcastId: illustrated.id });
      assert.equal(status, 200, text);
      assertKeys(body, "success", "path", "publicUrl", "dimensions", "isTemporary");
      assert.equal(body.success, true);
      assert.equal(body.isTemporary, false);
      assert.deepEqual(body.dimensions, MIN_SIZES[imageType]);
      const key = new RegExp(`^podcasts/${illustrated.id}/images/${imageType}/${UUID}\\.${EXTENSION[format]}$`);
      assert.match(body.path, key);
      const [url, version] = body.publicUrl.split("?v=");
      assert.equal(url, publicUrl(body.path));
      assert.match(version, /^\d{13}$/);
      assert.equal(await named(illustrated, imageType), body.publicUrl);
      await assertServed(body.publicUrl, bytes, format);
      assert.deepEqual(await entry(body.path), {
        account_id: owner.id,
        podcast_id: illustrated.id,
        usage: imageType,
        bytes: bytes.length,
        content_type: TYPE[format],
        ...MIN_SIZES[imageType],
        live: true,
      });
    }
  }
  assert.deepEqual(await importsOf("admin"), own, "nothing of it is the importer's own");
});

Deno.test("an artwork import without imageType is a cover", async () => {
  for (const json of [{}, { podcastId: null }, { podcastId: show.id }]) {
    await using from = await source(served("cover"));
    const { status, body, text } = await importing("owner", { url: from.url, ...json });
    assert.equal(status, 200, text);
    if (json.podcastId) assert.match(body.path, /\/images\/cover\//);
    else assert.match(body.path, /^imports\//);
  }
  await using small = await source(served("profile"));
  assertError(await importing("owner", { url: small.url }), 400, {
    error: "Image dimensions too small",
    code: "DIMENSIONS_TOO_SMALL",
    details: "200 × 200 pixels; images of type cover must be at least 1400 × 1400",
  });
});

Deno.test("an artwork import sends the source no data about the caller", async () => {
  await using from = await source(served("profile"));
  const { token } = await person("stranger");
  assert.equal(
    (await importing({ token }, { url: `${from.url}art%20work.jpg?a=b#part`, imageType: "profile" })).status,
    200,
  );
  const [request] = from.requests, lines = request.trimEnd().split("\r\n");
  assert.equal(lines.shift(), "GET /art%20work.jpg?a=b HTTP/1.1");
  assert.deepEqual(
    lines.map((line) => line.split(":")[0]).sort(),
    ["accept", "accept-encoding", "connection", "host", "user-agent"],
  );
  assert.ok(lines.includes("accept: image/jpeg, image/png, image/webp"));
});

Deno.test("an artwork import returns 400 naming a missing or malformed parameter, and fetches nothing", async () => {
  const wrong = {
    url: [undefined, null, "", 1, ["http://a.test/"], `http://a.test/${"a".repeat(2048)}`],
    podcastId: ["1", "", 7],
    imageType: ["episode_cover", "artwork", "Cover", "", null],
  };
  await using from = await source(served("cover"));
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      assertError(await importing("admin", { url: from.url, [name]: value }), 400, {
        details: new RegExp(`^${name}:`),
      });
    }
  }
  assertError(await sendRequest({ method: "POST", path: IMPORT, as: "admin", body: `url=${from.url}` }), 400);
  assert.deepEqual(from.requests, []);
});

Deno.test("an artwork import fetches nothing and returns 404 for an unknown podcast, 409 for one pending deletion", async () => {
  const leaving = await podcast("Leaving, to be drawn");
  await scheduleDeletion(leaving);
  await using from = await source(served("cover"));
  assertError(await importing("admin", { url: from.url, podcastId: crypto.randomUUID() }), 404);
  const expected = { code: "PODCAST_PENDING_DELETION" };
  assertError(await importing("owner", { url: from.url, podcastId: leaving.id }), 409, expected);
  assert.deepEqual(from.requests, []);
  assert.deepEqual(await objects(leaving), []);
});

Deno.test("an artwork import rechecks role, deletion and podcast after it has read the source", async () => {
  const changes: [number, (id: string) => Promise<unknown>, object?][] = [
    [403, async (id) => {
      const { id: user } = await person("admin");
      await sql`update public.podcast_members set role = 'member' where podcast_id = ${id} and user_id = ${user}`;
    }],
    [409, (id) => scheduleDeletion({ id }), {
      code: "PODCAST_PENDING_DELETION",
    }],
    [404, (id) => sql`delete from public.podcasts where id = ${id}`],
  ];
  for (const [status, change, expected] of changes) {
    const changing = await podcast("Changing meanwhile");
    await using from = await source(async ({ send }) => {
      await change(changing.id);
      await send(served("cover"));
    });
    assertError(await importing("admin", { url: from.url, podcastId: changing.id }), status, { ...expected });
    assert.equal(from.requests.length, 1);
    assert.deepEqual(await objects(changing), []);
    assert.deepEqual(await ledger(changing), []);
  }
});
