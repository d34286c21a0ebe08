// Rows that SQL inserted: there are no bytes.
import { deepStrictEqual as same } from "node:assert";
import { refusal, status, storageTest } from "../../parity/storage/fixture.ts";

storageTest("a row without bytes is not found, and cannot be copied", async (at) => {
  await at.sql`insert into storage.objects (bucket_id, name) values (${at.open}, 'row')`;
  same((await refusal(await at.get(`${at.open}/row`))).code, "NoSuchKey");
  same((await at.get(`${at.open}/row`, {}, "HEAD")).status, 400);
  same(status((await at.admin.storage.from(at.open).copy("row", "copy")).error), "404");
});
