// The storage schema's functions, which projects use in policies and queries.
import { deepStrictEqual as same, rejects } from "node:assert";
import { refusal, storageTest, type Stored } from "./fixture.ts";

storageTest("functions split an object's name", async (at) => {
  const [parts] = await at.sql`
    select storage.foldername('a/b/c.tar.gz') as folders, storage.filename('a/b/c.tar.gz') as file,
      storage.extension('a/b/c.tar.gz') as extension, storage.get_common_prefix('a/b/c', 'a/', '/') as folder,
      storage.get_common_prefix('a/b', 'a/', '/') as none, storage.get_common_prefix('a%b/c', '', '/') as literal`;
  same(parts, {
    folders: ["a", "b"],
    file: "c.tar.gz",
    extension: "gz",
    folder: "a/b/",
    none: null,
    literal: "a%b/",
  });
});

async function filled(at: Stored, name: string) {
  const bucket = await at.bucket(name, { public: false });
  for (const key of ["B", "a", "a-1", "a/x", "d/Y/z", "d/x"]) {
    await at.raw("PUT", `/object/${bucket}/${key}`, { body: "xy" });
  }
  return bucket;
}

storageTest("search functions list one level of a bucket", async (at) => {
  const bucket = await filled(at, "searched");
  const names = async (rows: PromiseLike<{ name: string; id: string | null }[]>) =>
    (await rows).map(({ name, id }) => id ? name : `(${name})`);
  same(await names(at.sql`select * from storage.search('', ${bucket})`), ["a", "a-1", "(a)", "B", "(d)"]);
  same(await names(at.sql`select * from storage.search('d/', ${bucket}, search => 'y')`), ["(Y)"]);
  same(await names(at.sql`select * from storage.search('D/', ${bucket}, 1, 1, 1)`), ["(Y)"]);
  same(await names(at.sql`select * from storage.search_v2('', ${bucket})`), ["B", "a", "a-1", "(a)", "(d)"]);
  same(
    await names(at.sql`select * from storage.search_v2('', ${bucket}, 2, 1, 'a-1', 'asc', 'name')`),
    ["(a)", "(d)"],
  );
  same(await names(at.sql`select * from storage.search_v2('d/', ${bucket}, 9, 2, '', 'desc')`), ["d/x", "(d/Y)"]);
  same(
    await names(at.sql`select * from storage.list_objects_with_delimiter(${bucket}, '', '-', 9)`),
    ["B", "a", "(a)", "a/x", "d/Y/z", "d/x"],
  );
  const [{ size }] = await at.sql`select size from storage.get_size_by_bucket() where bucket_id = ${bucket}`;
  same(Number(size), 12);
});

storageTest("SQL may ask whether an object may be inserted, and creates no bucket with a long name", async (at) => {
  const ask = at.sql`select storage.can_insert_object(${at.open}, 'asked', null, null)`;
  await rejects(ask, { code: "PT200", message: "ROLLBACK" });
  const name = "n".repeat(101);
  await rejects(
    at.sql`insert into storage.buckets (id, name) values (${name}, ${name})`,
    /is too long \(101 characters\)/,
  );
});

storageTest("a policy may allow single operations", async (at) => {
  const bucket = await filled(at, "operations");
  const policy = async (operations: string) => {
    await at.sql.unsafe(`drop policy if exists "${bucket}" on storage.objects`);
    await at.sql.unsafe(`create policy "${bucket}" on storage.objects for select to authenticated
      using (bucket_id = '${bucket}' and ${operations})`);
  };
  const vics = at.vic.client.storage.from(bucket);
  const rights = async () => ({
    page: (await vics.listV2()).data!.objects.length > 0,
    list: (await vics.list()).data!.length > 0,
    sign: !(await vics.createSignedUrl("a", 60)).error,
    download: !(await vics.download("a")).error,
    info: !(await vics.info("a")).error,
  });
  const none = { page: false, list: false, sign: false, download: false, info: false };
  try {
    await policy("storage.allow_only_operation('object.list_v2')");
    same(await rights(), { ...none, page: true });
    await policy("storage.allow_any_operation(array['storage.object.list', 'storage.object.sign'])");
    same(await rights(), { ...none, list: true, sign: true });
    await policy("storage.operation() in ('storage.object.get_authenticated', 'object.get_authenticated_info')");
    same(await rights(), { ...none, download: true, info: true });
  } finally {
    await at.sql.unsafe(`drop policy if exists "${bucket}" on storage.objects`);
  }
  same((await refusal(await at.raw("GET", `/object/public/${bucket}/a`))).code, "NoSuchBucket");
});
