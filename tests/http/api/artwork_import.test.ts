// POST /api/media/import-artwork: storage, columns and permissions.
import assert from "node:assert/strict";
import { TYPE } from "../../image_fixtures.ts";
import { assertError, person, podcast, scheduleDeletion, sendRequest, sql } from "../harness.ts";
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

for (const into of ["without", "with"]) {
  Deno.test(`an artwork import ${into} a podcast stores each type and format`, async () => {
    const me = newUserName("collector"), { id, token } = await person(me);
    const home = into === "with" ? await podcast("All artwork", me) : undefined, isTemporary = !home;
    for (const imageType of TYPES) {
      for (const format of formatsOf(imageType)) {
        const bytes = picture(imageType, format);
        await using from = await source(httpResponse(bytes, { type: TYPE[format] }));
        const { status, body, text } = await importing({ token }, { url: from.url, imageType, podcastId: home?.id });
        assert.equal(status, 200, text);
        const { path, publicUrl: url, ...rest } = body;
        assert.deepEqual(rest, { success: true, dimensions: MIN_SIZES[imageType], isTemporary });
        const folder = home ? `podcasts/${home.id}/images/${imageType}` : `imports/${id}`;
        assert.match(path, new RegExp(`^${folder}/${UUID}\\.${EXTENSION[format]}$`));
        assert.match(url, /\?v=\d{13}$/);
        assert.equal(url.split("?v=")[0], publicUrl(path));
        if (home) assert.equal(await named(home, imageType), url);
        await assertServed(url, bytes, format);
        assert.deepEqual(await entry(path), {
          account_id: id,
          podcast_id: home?.id ?? null,
          usage: home ? imageType : "temporary",
          bytes: bytes.length,
          content_type: TYPE[format],
          ...MIN_SIZES[imageType],
          live: true,
        });
      }
    }
    assert.equal((await importsOf(me)).length, home ? 0 : 11);
  });
}

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

Deno.test("an artwork import checks the role again after it has read the source, and keeps no object", async () => {
  const changing = await podcast("Changing meanwhile"), { id: user } = await person("admin");
  await using from = await source(async ({ send }) => {
    await sql`update public.podcast_members set role = 'member' where podcast_id = ${changing.id} and user_id = ${user}`;
    await send(served("cover"));
  });
  assertError(await importing("admin", { url: from.url, podcastId: changing.id }), 403);
  assert.equal(from.requests.length, 1);
  assert.deepEqual([await objects(changing), await ledger(changing)], [[], []]);
});
