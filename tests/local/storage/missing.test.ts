// What the local stack lacks, which the platform has: its errors say so.
import { deepStrictEqual as same, match, rejects } from "node:assert";
import { refusal, storageTest } from "../../parity/storage/fixture.ts";

storageTest("a transformed image is an error that names the missing feature", async (at) => {
  await at.raw("PUT", `/object/${at.open}/image.png`, { body: "x", headers: { "content-type": "image/png" } });
  const missing = {
    http: 400,
    statusCode: "400",
    error: "FeatureNotEnabled",
    code: "FeatureNotEnabled",
    message:
      "Image transformation is missing from the local stack. Request the image without transformation, from /object.",
  };
  const bucket = at.admin.storage.from(at.open), transform = { width: 10 };
  const { publicUrl } = bucket.getPublicUrl("image.png", { transform }).data;
  same(await refusal(await fetch(publicUrl)), missing);
  same((await bucket.createSignedUrl("image.png", 60, { transform })).error!.message, missing.message);
  same((await bucket.createSignedUrl("image.png", 60)).error, null);
  match((await bucket.download("image.png", { transform })).error!.message, /^Image transformation is missing/);
});

storageTest("the S3 protocol and analytics buckets are errors that name the missing feature", async (at) => {
  const s3 = await fetch(at.url("/s3/bucket/key"), { method: "PUT", body: "x" });
  same([s3.status, s3.headers.get("content-type")], [501, "application/xml"]);
  match(await s3.text(), /<Code>NotImplemented<\/Code><Message>The S3 protocol is missing from the local stack/);
  const analytics = await at.raw("POST", "/bucket", {
    body: JSON.stringify({ name: "lt-analytics", type: "ANALYTICS" }),
    headers: { "content-type": "application/json" },
  });
  match((await refusal(analytics)).message, /^Analytics buckets are missing from the local stack/);
});

storageTest("no bucket can turn object versions on", async (at) => {
  const turnedOn = at.sql`update storage.buckets set versioning_status = 'ENABLED' where id = ${at.open}`;
  await rejects(turnedOn, { code: "23514", constraint_name: "buckets_versioning_dark_check" });
});
