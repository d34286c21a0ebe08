// Listing, moving and removing objects with storage-js, and the buckets they are in.
import { deepStrictEqual as same, ok, rejects } from "node:assert";
import { assertMembers, deleteBucket, refusal, status, storageTest } from "./fixture.ts";

storageTest("list returns one level of folders and files, in order and by page", async (at) => {
  const bucket = at.ana.client.storage.from(at.closed);
  for (const name of ["b.mp3", "A.mp3", "deep/one", "deep/er/two", "z/three", "c%d_.txt"]) {
    await at.raw("PUT", `/object/${at.closed}/${at.ownKey("list/")}${encodeURIComponent(name)}`, { body: name });
  }
  await at.sql`update storage.objects set owner_id = ${at.ana.id} where name like ${at.ownKey("list/%")}`;
  const names = async (options?: Parameters<typeof bucket.list>[1], folder = "list") => {
    const { data, error } = await bucket.list(at.ownKey(folder), options);
    same(error, null);
    return data!.map(({ name }) => name);
  };
  same(await names(), ["A.mp3", "b.mp3", "deep", "z"]);
  same(await names({ sortBy: { column: "name", order: "desc" } }), ["z", "deep", "b.mp3", "A.mp3"]);
  same(await names({ limit: 2, offset: 1 }), ["b.mp3", "deep"]);
  same(await names({ search: "a" }), ["A.mp3"]);
  same(await names({ sortBy: { column: "created_at", order: "desc" } }), ["z", "deep", "A.mp3", "b.mp3"]);
  same(await names({}, "list/deep"), ["er", "one"]);
  const [file, , folder] = (await bucket.list(at.ownKey("list"))).data!;
  const absent = { id: null, updated_at: null, created_at: null, last_accessed_at: null, metadata: null };
  assertMembers(folder, { name: "deep", ...absent });
  ok(file.id && file.created_at && file.updated_at && file.last_accessed_at);
  same(file.metadata!.size, 5);
  same((await at.vic.client.storage.from(at.closed).list(at.ownKey("list"))).data, []);
});

storageTest("a moved object has only its new key and keeps its metadata", async (at) => {
  const bucket = at.ana.client.storage.from(at.closed), [from, to] = [at.ownKey("from"), at.ownKey("to")];
  const { data: sent } = await bucket.upload(from, "moving", { cacheControl: "7", metadata: { a: 1 } });
  same((await bucket.move(from, to)).data!.message, "Successfully moved");
  same((await bucket.exists(from)).data, false);
  const info = (await bucket.info(to)).data!;
  same([info.id, info.cacheControl, info.metadata], [sent!.id, "max-age=7", { a: 1 }]);
  same(await (await bucket.download(to)).data!.text(), "moving");
  await bucket.upload(from, "another");
  same(status((await bucket.move(from, to)).error), "409");
  same(status((await bucket.move(at.ownKey("nothing"), at.ownKey("x"))).error), "404");
  same(status((await bucket.move(to, `${at.vic.id}/to`)).error), "403");
  same(status((await at.vic.client.storage.from(at.closed).move(to, `${at.vic.id}/to`)).error), "404");
  same((await bucket.move(to, to, { destinationBucket: at.open })).error, null);
  same(await (await at.get(`${at.open}/${to}`)).text(), "moving");
});

storageTest("an object that a user may read but not change is not found by a move", async (at) => {
  const bucket = await at.bucket("readable", { public: false });
  await at.raw("PUT", `/object/${bucket}/theirs`, { body: "x" });
  await at.sql.unsafe(`create policy "${bucket}" on storage.objects for select to authenticated
    using (bucket_id = '${bucket}')`);
  try {
    const vics = at.vic.client.storage.from(bucket);
    same((await vics.exists("theirs")).data, true);
    same(status((await vics.move("theirs", `${at.vic.id}/mine`)).error), "404");
    same((await vics.exists("theirs")).data, true);
  } finally {
    await at.sql.unsafe(`drop policy "${bucket}" on storage.objects`);
  }
});

storageTest("an object stays its owner's when the secret key replaces or moves it", async (at) => {
  const key = at.ownKey("owned"), moved = at.ownKey("moved");
  await at.ana.client.storage.from(at.open).upload(key, "x");
  const ownerOf = async (name: string) => {
    const [{ owner, owner_id }] = await at.sql`
      select owner, owner_id from storage.objects where bucket_id = ${at.open} and name = ${name}`;
    return [owner, owner_id];
  };
  same((await at.raw("PUT", `/object/${at.open}/${key}`, { body: "y" })).status, 200);
  same(await ownerOf(key), [at.ana.id, at.ana.id]);
  same((await at.admin.storage.from(at.open).move(key, moved)).error, null);
  same(await ownerOf(moved), [at.ana.id, at.ana.id]);
});

storageTest("remove deletes and returns the objects that the caller may delete", async (at) => {
  const bucket = at.ana.client.storage.from(at.open), key = at.ownKey("doomed");
  await bucket.upload(key, "x");
  same((await at.vic.client.storage.from(at.open).remove([key])).data, []);
  same((await at.anon.storage.from(at.open).remove([key])).data, []);
  same((await at.get(`${at.open}/${key}`)).status, 200);
  const { data } = await bucket.remove([key, at.ownKey("nothing")]);
  same(data!.map(({ name, bucket_id }) => [name, bucket_id]), [[key, at.open]]);
  same((await refusal(await at.get(`${at.open}/${key}`))).statusCode, "404");
  await bucket.upload(key, "again");
  const foreign = { headers: { apikey: at.stack.publishableKey, authorization: `Bearer ${at.vic.token}` } };
  same((await refusal(await at.raw("DELETE", `/object/${at.open}/${key}`, foreign))).statusCode, "403");
  same(await (await at.raw("DELETE", `/object/${at.open}/${key}`)).json(), { message: "Successfully deleted" });
});

storageTest("SQL cannot delete objects or buckets", async (at) => {
  await at.raw("PUT", `/object/${at.open}/guarded`, { body: "x" });
  for (const table of ["objects", "buckets"]) {
    await rejects(at.sql`delete from storage.${at.sql(table)} where false`, { code: "42501" });
  }
  same((await at.get(`${at.open}/guarded`)).status, 200);
});

storageTest("the secret key creates, changes, empties and deletes buckets", async (at) => {
  const id = await at.bucket("made", { public: false, fileSizeLimit: "5MB", allowedMimeTypes: ["audio/*"] });
  const settings = { public: false, file_size_limit: 5_000_000, allowed_mime_types: ["audio/*"] };
  assertMembers((await at.admin.storage.getBucket(id)).data!, { id, name: id, owner: "", ...settings });
  same(status((await at.admin.storage.createBucket(id)).error), "409");
  same(status((await at.admin.storage.createBucket("no/slash")).error), "400");
  same(
    (await at.admin.storage.updateBucket(id, { public: true, fileSizeLimit: null, allowedMimeTypes: null })).error,
    null,
  );
  same((await at.admin.storage.getBucket(id)).data!.allowed_mime_types, null);
  for (const client of [at.ana.client, at.anon]) {
    same(status((await client.storage.createBucket("lt-theirs")).error), "403");
    same((await client.storage.listBuckets()).data, []);
    same(status((await client.storage.getBucket(id)).error), "404");
    same(status((await client.storage.deleteBucket(id)).error), "404");
  }
  ok((await at.admin.storage.listBuckets()).data!.some((bucket) => bucket.id === id));
  await at.raw("PUT", `/object/${id}/a`, { body: "x" });
  same(status((await at.admin.storage.deleteBucket(id)).error), "409");
  await deleteBucket(at.admin, id);
  same(status((await at.admin.storage.getBucket(id)).error), "404");
});
