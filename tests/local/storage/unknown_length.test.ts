// Bodies without a Content-Length, which the service does not limit.
import { deepStrictEqual as same } from "node:assert";
import { refusal, storageTest } from "../../parity/storage/fixture.ts";

const streamOf = (bytes: Uint8Array) => new Blob([bytes]).stream();

storageTest("a body of unknown length may exceed the bucket's limit, and one of known length may not", async (at) => {
  const bucket = await at.bucket("short", { public: false, fileSizeLimit: 10 });
  const put = (body: BodyInit) => at.raw("PUT", `/object/${bucket}/a`, { body });
  same((await refusal(await put(new Uint8Array(11)))).statusCode, "413");
  same((await put(streamOf(new Uint8Array(11)))).status, 200);
  same((await at.admin.storage.from(bucket).info("a")).data!.size, 11);
});
