// GET /api/media/episode-cover/{episodeId}/download: the episode's cover or the podcast's as a file, and no other object.
import assert from "node:assert/strict";
import { fetchDocumented } from "../documented_responses.ts";
import {
  assertError,
  type Episode,
  episode,
  person,
  podcast,
  type RequestOptions,
  sendRequest,
  stackInfo,
} from "../harness.ts";
import { assertAccessMatrix } from "../access_matrix.ts";
import { put as putAudio } from "./audio.ts";
import { assertSame, EXTENSION, type Format, picture, plant, publicUrl, stored, uploaded } from "./images.ts";
import { TYPE } from "../../image_fixtures.ts";

const path = ({ id }: Pick<Episode, "id">) => `/api/media/episode-cover/${id}/download`;
const download = (episode: Pick<Episode, "id">, as: RequestOptions["as"] = "member", method = "GET") =>
  sendRequest({ method, path: path(episode), as });

/** Downloads the file. */
async function file(episode: Episode): Promise<{ bytes: Uint8Array; headers: Headers }> {
  const { token } = await person("member");
  const response = await fetchDocumented(stackInfo.functionsUrl + path(episode), {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(response.status, 200);
  return { bytes: new Uint8Array(await response.arrayBuffer()), headers: response.headers };
}

const show = await podcast("Downloaded"), pilot = await episode(show, "The pilot");
await uploaded(show, pilot);
assertAccessMatrix(
  "GET /api/media/episode-cover/:episodeId/download",
  () => Promise.resolve({ path: path(pilot) }),
  { anon: 401, stranger: 403 },
);

Deno.test("an episode's own cover is downloaded as {slug}-cover.{ext} with its bytes, type and length", async () => {
  for (const format of ["png", "jpeg"] as Format[]) {
    const made = await episode(show, "With a cover"), body = picture("episode_cover", format, 900_000);
    await uploaded(show, made, { format, body });
    const { bytes, headers } = await file(made);
    assertSame(bytes, body);
    assert.equal(headers.get("content-type"), TYPE[format]);
    assert.equal(headers.get("content-length"), "900000");
    assert.equal(headers.get("content-disposition"), `attachment; filename="${made.slug}-cover.${EXTENSION[format]}"`);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("cache-control"), "private, no-cache");
  }
});

Deno.test("a cover download returns 304 for a current ETag until another cover is uploaded", async () => {
  const made = await episode(show, "Asked twice");
  await uploaded(show, made);
  const etag = (await download(made)).headers.get("etag")!;
  assert.match(etag, /^"[^"]+"$/);
  const again = (method: string) =>
    sendRequest({ method, path: path(made), as: "member", headers: { "if-none-match": `"other", ${etag}` } });
  for (const method of ["GET", "HEAD"]) {
    const { status, text, headers } = await again(method);
    assert.deepEqual([status, text, headers.get("etag")], [304, "", etag]);
  }
  await uploaded(show, made);
  const { status, headers } = await again("GET");
  assert.equal(status, 200);
  assert.notEqual(headers.get("etag"), etag);
});

Deno.test("an episode without a cover downloads the podcast's, under the episode's name", async () => {
  const plain = await podcast("Plain"), made = await episode(plain, "Bare"), body = picture("cover", "jpeg");
  assertError(await download(made), 404);
  await uploaded(plain, "cover", { body, format: "jpeg" });
  const { bytes, headers } = await file(made);
  assertSame(bytes, body);
  assert.equal(headers.get("content-disposition"), 'attachment; filename="bare-cover.jpg"');
  const own = picture("episode_cover", "png");
  await uploaded(plain, made, { body: own });
  assertSame((await file(made)).bytes, own);
});

Deno.test("a WebP cover of an episode is downloaded as .webp", async () => {
  const made = await episode(show, "Imported"), body = picture("banner", "webp");
  const where = await stored(`podcasts/${show.id}/e/${made.id}/images/imported.webp`, body, "image/webp");
  await names(made, publicUrl(where));
  const { bytes, headers } = await file(made);
  assertSame(bytes, body);
  assert.equal(headers.get("content-disposition"), 'attachment; filename="imported-cover.webp"');
});

Deno.test("a cover download sends a non-ASCII name twice: an ASCII fallback and the encoded one (RFC 6266, RFC 8187)", async () => {
  for (const title of ["はじめまして 第1回", "Ночной эфир", "مرحبا"]) {
    const made = await episode(show, title);
    assert.match(made.slug, /[^\x20-\x7e]/);
    await uploaded(show, made, { format: "jpeg" });
    const disposition = (await file(made)).headers.get("content-disposition")!;
    const [, plain, exact] = /^attachment; filename="([\x20-\x7e]+)"; filename\*=UTF-8''([A-Za-z0-9!#$&+.^_`|~%-]+)$/
      .exec(disposition)!;
    assert.match(plain, /^[^"\\%]+-cover\.jpg$/);
    assert.equal(decodeURIComponent(exact), `${made.slug}-cover.jpg`);
  }
});

Deno.test("HEAD of a cover download returns the headers of GET without the bytes", async () => {
  const { headers } = await file(pilot), head = await download(pilot, "member", "HEAD");
  assert.deepEqual([head.status, head.text], [200, ""]);
  for (const name of ["content-type", "content-length", "content-disposition", "cache-control"]) {
    assert.equal(head.headers.get(name), headers.get(name), name);
    assert.ok(headers.get(name), name);
  }
});

Deno.test("a cover download returns 404 for an unknown episode and 400 for an invalid id", async () => {
  assertError(await download({ id: crypto.randomUUID() }), 404);
  assertError(await download({ id: "pilot" }), 400, { details: /^episodeId:/ });
});

Deno.test("a cover download returns 404 when storage lacks the object", async () => {
  const made = await episode(show, "Lost");
  await names(made, publicUrl(`podcasts/${show.id}/e/${made.id}/images/${crypto.randomUUID()}.jpg`));
  assertError(await download(made), 404);
});

Deno.test("a cover download serves images of the episode's own podcast only, regardless of the URL in the column", async () => {
  const other = await podcast("The other"), theirs = await episode(other);
  const { path: foreign } = await uploaded(other, "cover"), { path: own } = await uploaded(show, "cover");
  const { body: { path: audio } } = await putAudio(show, await episode(show, "Heard"));
  const loose = await stored(`imports/${crypto.randomUUID()}/loose.png`, picture("cover"), "image/png");
  const document = await stored(`podcasts/${show.id}/notes.html`, picture("cover"), "text/html");
  const media = publicUrl("").slice(0, -1),
    mine = `${media}/podcasts/${show.id}`,
    rest = foreign.slice("podcasts/".length);
  const made = await episode(show, "Planted");
  const addresses = [
    publicUrl(foreign), // another podcast's
    `${media}/podcasts/${other.id}/e/${theirs.id}/images/x.png`,
    publicUrl(audio), // no image
    publicUrl(document),
    publicUrl(loose), // no podcast's
    "https://images.example/cover.jpg", // another host
    `https://images.example/${own}`,
    `https://images.example/storage/v1/object/public/media/${own}`,
    `${media}.images.example/${own}`,
    `${media}-other/${own}`,
    `${media.replace("/public/media", "/public/other")}/${own}`,
    `${media.replace("/public/", "/sign/")}/${own}`,
    `https://images.example/?${publicUrl(own)}`,
    `https://images.example/#${publicUrl(own)}`,
    `${mine}/../${rest}`, // ways up
    `${mine}/e/../../${rest}`,
    `${mine}/%2e%2e/${rest}`,
    `${mine}/%2E%2E%2F${rest}`,
    `${mine}/..%2f${rest}`,
    `${mine}/.%2e/${rest}`,
    `${mine}/./images/cover/${own.split("/").at(-1)}`,
    `${mine}//../${rest}`,
    `${mine}//images/cover/${own.split("/").at(-1)}`,
    `${media}//${foreign}`,
    `${media}/${own}/../../../../../${foreign}`,
    `${media}/../media/${foreign}`,
    `${mine}%2fimages/cover/${own.split("/").at(-1)}`,
    `${mine}/images%2Fcover/${own.split("/").at(-1)}`,
    `${publicUrl(foreign)}?/${own}`, // the query and the fragment are not part of the path
    `${publicUrl(foreign)}#/${own}`,
    `${mine}?/../${rest}`,
    `${mine}/?path=${foreign}`,
    `${mine}/images/cover/`, // no object
    `${mine}.png`,
    `${mine}/.png`,
    `${publicUrl(own)}%00.png`,
    `${publicUrl(own)}.html`,
    `${publicUrl(own)}%20`,
  ];
  for (const url of addresses) {
    await names(made, url);
    const response = await download(made);
    assert.equal(response.status, 404, url);
    assertError(response, 404);
    assert.ok(!(response.text + JSON.stringify([...response.headers])).includes(stackInfo.secretKey), url);
  }
  for (const end of ["", "?v=1", `?v=1&x=/../${foreign}`, `#${foreign}`]) {
    await names(made, publicUrl(own) + end); // its own object is served with any suffix
    assert.equal((await download(made)).status, 200, end);
  }
});

Deno.test("a cover download exposes no key and no header of storage", async () => {
  const { headers } = await file(pilot);
  assert.ok(!JSON.stringify([...headers]).includes(stackInfo.secretKey));
  for (const name of ["apikey", "authorization", "set-cookie"]) assert.equal(headers.get(name), null);
});

/** Writes the column as an admin; bypasses the guard, as for an older row, if it rejects the URL. */
async function names(episode: Episode, url: string) {
  const { data, error } = await (await person("admin")).client.from("episodes").update({ cover_image_url: url })
    .eq("id", episode.id).select("id");
  if (error?.hint === "IMAGE_NOT_OWNED") return await plant("episodes", episode, url);
  assert.equal(error, null, url);
  assert.equal(data!.length, 1);
}
