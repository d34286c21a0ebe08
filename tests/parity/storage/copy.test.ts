// Copies of objects and their metadata.
import { deepStrictEqual as same, ok } from "node:assert";
import { refusal, status, storageTest } from "./fixture.ts";

storageTest("a copy survives the replacement and deletion of its source", async (at) => {
  const bucket = at.ana.client.storage.from(at.open), [from, to] = [at.ownKey("source"), at.ownKey("copy")];
  await bucket.upload(from, "original", { contentType: "audio/mpeg", cacheControl: "9" });
  same((await bucket.copy(from, to)).data, { path: `${at.open}/${to}` });
  await bucket.upload(from, "replaced", { upsert: true });
  const copied = await at.get(`${at.open}/${to}`);
  same([copied.headers.get("content-type"), copied.headers.get("cache-control")], ["audio/mpeg", "max-age=9"]);
  same(await copied.text(), "original");
  same(status((await bucket.copy(from, to)).error), "409");
  await bucket.remove([from]);
  same(await (await at.get(`${at.open}/${to}`)).text(), "original");
  same(status((await bucket.copy(from, to)).error), "404");
});

storageTest("a copy may have its own cache control, type and metadata", async (at) => {
  const forever = "public, max-age=31536000, immutable",
    from = at.ownKey("kept so"),
    to = at.ownKey("kept differently");
  const sent = { cacheControl: "3600", contentType: "audio/mpeg", metadata: { of: "source" } };
  await at.ana.client.storage.from(at.closed).upload(from, "bytes", sent);
  await at.sql`update storage.objects set metadata = metadata || '{"lastModified":"2020-01-01T00:00:00.000Z"}'
    where bucket_id = ${at.closed} and name = ${from}`;
  const journey = { bucketId: at.closed, sourceKey: from, destinationBucket: at.open, destinationKey: to };
  const copy = async (more: Record<string, unknown>, headers: Record<string, string> = { "x-upsert": "true" }) => {
    const response = await at.raw("POST", "/object/copy", {
      body: JSON.stringify({ ...journey, ...more }),
      headers: { "content-type": "application/json", ...headers },
    });
    same(response.status, 200, await response.clone().text());
    const { Key, metadata, user_metadata: own } = await response.json();
    const fetched = await at.get(`${at.open}/${to}`);
    same([Key, await fetched.text()], [`${at.open}/${to}`, "bytes"]);
    ok(Date.parse(fetched.headers.get("last-modified")!) > Date.parse("2020-01-02"));
    const served = [fetched.headers.get("cache-control"), fetched.headers.get("content-type")];
    same([metadata.cacheControl, metadata.mimetype], served);
    return [...served, own];
  };
  const metadata = { cacheControl: forever, mimetype: "audio/mp4" };
  same(await copy({}, {}), ["max-age=3600", "audio/mpeg", { of: "source" }]);
  same(await copy({ metadata }), ["max-age=3600", "audio/mpeg", { of: "source" }]);
  same(await copy({ metadata, copyMetadata: true }), ["max-age=3600", "audio/mpeg", { of: "source" }]);
  // Without metadata in the request, those of the replaced object stay
  same(await copy({ metadata, copyMetadata: false }), [forever, "audio/mp4", { of: "source" }]);
  same(await copy({ metadata: { cacheControl: forever }, copyMetadata: false }), [forever, "audio/mpeg", {
    of: "source",
  }]);
  const own = { "x-upsert": "true", "x-metadata": btoa('{"of":"copy"}') };
  same(await copy({ copyMetadata: false }, own), ["max-age=3600", "audio/mpeg", { of: "copy" }]);
  await at.raw("DELETE", `/object/${at.open}/${to}`);
  same(await copy({ metadata, copyMetadata: false }), [forever, "audio/mp4", null]);
  const [source] = await at.sql`select metadata from storage.objects where bucket_id = ${at.closed} and name = ${from}`;
  same(source.metadata.cacheControl, "max-age=3600");
});

storageTest("a copy checks the policies of source and destination, and replaces only with x-upsert", async (at) => {
  const from = at.ownKey("copied"), to = at.ownKey("copied to"), vicsKey = `${at.vic.id}/copied`;
  await at.ana.client.storage.from(at.closed).upload(from, "new");
  await at.ana.client.storage.from(at.open).upload(to, "old");
  const copy = async (user: typeof at.ana, journey: Record<string, string>, headers: Record<string, string> = {}) =>
    await at.raw("POST", "/object/copy", {
      body: JSON.stringify({ bucketId: at.closed, sourceKey: from, destinationBucket: at.open, ...journey }),
      headers: {
        apikey: at.stack.publishableKey,
        authorization: `Bearer ${user.token}`,
        "content-type": "application/json",
        ...headers,
      },
    });
  const codeOf = async (response: Promise<Response>) => (await refusal(await response)).statusCode;
  same(await codeOf(copy(at.ana, { destinationKey: to })), "409");
  same(await (await at.get(`${at.open}/${to}`)).text(), "old");
  same((await copy(at.ana, { destinationKey: to }, { "x-upsert": "true" })).status, 200);
  same(await (await at.get(`${at.open}/${to}`)).text(), "new");
  same(
    (await copy(at.ana, { destinationKey: to, sourceKey: to, bucketId: at.open }, { "x-upsert": "true" })).status,
    200,
  );
  same(await (await at.get(`${at.open}/${to}`)).text(), "new");
  same(await codeOf(copy(at.ana, { destinationKey: vicsKey })), "403");
  same(await codeOf(copy(at.vic, { destinationKey: vicsKey })), "404");
  same(await codeOf(copy(at.ana, { destinationKey: to, sourceKey: at.ownKey("nothing") })), "404");
  same(await codeOf(copy(at.ana, { destinationKey: "a#b" })), "400");
});
