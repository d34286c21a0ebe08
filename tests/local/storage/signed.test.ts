// Signed URLs: reads and uploads.
import { deepStrictEqual as same, match, ok } from "node:assert";
import { devKeys } from "../../../local/keys.ts";
import { createSigning } from "../../../local/storage/signing.ts";
import { refusal, status, storageTest } from "./fixture.ts";

storageTest("a signed URL gives access to one object until it expires", async (at) => {
  const bucket = at.ana.client.storage.from(at.closed), key = at.ownKey("signed file");
  await bucket.upload(key, "signed");
  const { data } = await bucket.createSignedUrl(key, 60, { download: "name.txt" });
  const response = await fetch(data!.signedUrl);
  same([response.status, await response.text()], [200, "signed"]);
  ok(Date.parse(response.headers.get("expires")!) > Date.now());
  match(response.headers.get("content-disposition")!, /filename=name.txt/);
  const part = await fetch(data!.signedUrl, { headers: { range: "bytes=0-1" } });
  same([part.status, await part.text()], [206, "si"]);
  const other = data!.signedUrl.replace("signed%20file", "other");
  same((await refusal(await fetch(other))).code, "InvalidSignature");
  same((await refusal(await fetch(data!.signedUrl.replace(/token=.*$/, "token=no")))).code, "InvalidJWT");
  same(status((await at.vic.client.storage.from(at.closed).createSignedUrl(key, 60)).error), "404");
  same(status((await bucket.createSignedUrl(key, 0)).error), "400");
  const many = (await bucket.createSignedUrls([key, "nothing"], 60)).data!;
  same(many.map(({ error }) => error), [null, "Either the object does not exist or you do not have access to it"]);
  same(await (await fetch(many[0].signedUrl!)).text(), "signed");
});

storageTest("a signed URL expires", async (at) => {
  await at.raw("PUT", `/object/${at.closed}/brief`, { body: "x" });
  const url = `${at.closed}/brief`;
  const token = (seconds: number) => createSigning(devKeys.jwtSecret).sign("download", { url }, seconds);
  same((await fetch(at.url(`/object/sign/${url}?token=${await token(60)}`))).status, 200);
  const over = await refusal(await fetch(at.url(`/object/sign/${url}?token=${await token(-60)}`)));
  same([over.statusCode, over.code, over.message], ["400", "InvalidJWT", '"exp" claim timestamp check failed']);
});

storageTest("a signed upload stores one object for its signer, once", async (at) => {
  const bucket = at.ana.client.storage.from(at.closed), key = at.ownKey("by url");
  const { data } = await bucket.createSignedUploadUrl(key);
  const anonymous = at.anon.storage.from(at.closed);
  same((await anonymous.uploadToSignedUrl(at.ownKey("another"), data!.token, "x")).error!.message, "Invalid signature");
  const sent = await anonymous.uploadToSignedUrl(key, data!.token, new Blob(["signed up"], { type: "audio/mpeg" }), {
    cacheControl: "5",
  });
  same([sent.error, sent.data!.path], [null, key]);
  same(await (await bucket.download(key)).data!.text(), "signed up");
  same((await bucket.info(key)).data!.cacheControl, "max-age=5");
  same(status((await anonymous.uploadToSignedUrl(key, data!.token, "again")).error), "409");
  const asDownload = await fetch(at.url(`/object/sign/${at.closed}/${key}?token=${data!.token}`));
  same((await refusal(asDownload)).message, "Token is not scoped for download");
  same(status((await at.vic.client.storage.from(at.closed).createSignedUploadUrl(at.ownKey("x"))).error), "403");
  const replacing = (await bucket.createSignedUploadUrl(key, { upsert: true })).data!;
  same((await anonymous.uploadToSignedUrl(key, replacing.token, "again")).error, null);
});

storageTest(
  "a signed upload accepts bytes and forms with their own Cache-Control, within the bucket's limits",
  async (at) => {
    const bucket = await at.bucket("signed", { public: true, fileSizeLimit: "1KB", allowedMimeTypes: ["audio/*"] });
    const send = async (key: string, body: BodyInit, headers: Record<string, string> = {}) => {
      const { data } = await at.admin.storage.from(bucket).createSignedUploadUrl(key, { upsert: true });
      return await fetch(data!.signedUrl, { method: "PUT", body, headers });
    };
    const served = async (key: string) => {
      const response = await at.get(`${bucket}/${key}`);
      return [await response.text(), response.headers.get("content-type"), response.headers.get("cache-control")];
    };
    const forever = "public, max-age=31536000, immutable";
    const raw = await send("raw", "raw", { "content-type": "audio/mpeg", "cache-control": forever });
    same([raw.status, await raw.json()], [200, { Key: `${bucket}/raw` }]);
    same(await served("raw"), ["raw", "audio/mpeg", forever]);
    same((await send("bare", "bare", { "content-type": "audio/mpeg" })).status, 200);
    same(await served("bare"), ["bare", "audio/mpeg", "no-cache"]);
    const form = (size: number, fields: Record<string, string> = {}) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append("", new Blob(["f".repeat(size)], { type: "audio/mp4" }));
      return form;
    };
    same((await send("form", form(4, { cacheControl: "60" }), { "cache-control": forever })).status, 200);
    same(await served("form"), ["ffff", "audio/mp4", "max-age=60"]);
    same((await send("form", form(2, { contentType: "audio/ogg" }))).status, 200);
    same(await served("form"), ["ff", "audio/ogg", "no-cache"]);

    const audio = { "content-type": "audio/mpeg" };
    for (const [body, headers] of [["x".repeat(1001), audio], [form(1001), {}]] as const) {
      const { http, statusCode, error } = await refusal(await send("large", body, headers));
      same([http, statusCode, error], [400, "413", "Payload too large"]);
    }
    const { http, statusCode, code } = await refusal(await send("text", "x", { "content-type": "text/plain" }));
    same([http, statusCode, code], [400, "415", "InvalidMimeType"]);
    same(
      (await at.sql`select name from storage.objects where bucket_id = ${bucket} order by name`).map((o) => o.name),
      [
        "bare",
        "form",
        "raw",
      ],
    );
    const { data } = await at.admin.storage.from(bucket).createSignedUploadUrl("once");
    const put = () => fetch(data!.signedUrl, { method: "PUT", body: "x", headers: { ...audio, "x-upsert": "true" } });
    same((await put()).status, 200);
    same(await refusal(await put()), {
      http: 400,
      statusCode: "409",
      error: "Duplicate",
      code: "KeyAlreadyExists",
      message: "The resource already exists",
    });
    same(
      await refusal(await fetch(data!.signedUrl.replace(/\?.*/, ""), { method: "PUT", body: "x", headers: audio })),
      {
        http: 400,
        statusCode: "400",
        error: "Error",
        code: "InvalidRequest",
        message: "querystring must have required property 'token'",
      },
    );
  },
);
