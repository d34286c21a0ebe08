// POST object/list-v2: pages of objects by cursor, with and without folders.
import { deepStrictEqual as same } from "node:assert";
import { refusal, storageTest, type Stored } from "./fixture.ts";

interface Page {
  hasNext: boolean;
  nextCursor?: string;
  nextCursorKey?: string;
  folders: { name: string; key?: string }[];
  objects: { name: string; key?: string }[];
}

const send = (at: Stored, bucket: string, body: unknown) =>
  at.raw("POST", `/object/list-v2/${bucket}`, {
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
const page = async (at: Stored, bucket: string, body: object): Promise<Page> => (await send(at, bucket, body)).json();
const names = (entries: { name: string }[]) => entries.map(({ name }) => name);

/** The names of all pages, folders before objects in each. */
async function walk(at: Stored, bucket: string, body: object): Promise<string[]> {
  const found: string[] = [];
  let next: Page | undefined;
  do {
    next = await page(at, bucket, { ...body, cursor: next?.nextCursor });
    found.push(...names([...next.folders, ...next.objects]));
  } while (next.hasNext);
  return found;
}

const keys = ["a", "a-1", "a/x", "a/y/z", "b%", "c", "d/e"];
async function filled(at: Stored, name: string) {
  const bucket = await at.bucket(name, { public: false });
  for (const key of keys) await at.raw("PUT", `/object/${bucket}/${encodeURIComponent(key)}`, { body: key });
  await at.sql`update storage.objects set name = 'b_' where bucket_id = ${bucket} and name = 'b%'`;
  await at.sql`insert into storage.objects (bucket_id, name) values (${bucket}, 'b%')
    on conflict do nothing`;
  return bucket;
}

storageTest("a page lists all keys in order, or folders and keys of one level with the delimiter", async (at) => {
  const bucket = await filled(at, "level");
  const all = await page(at, bucket, {});
  same([all.hasNext, all.folders, "nextCursor" in all], [false, [], false]);
  same(names(all.objects), ["a", "a-1", "a/x", "a/y/z", "b%", "c", "d/e"]);
  const level = await page(at, bucket, { with_delimiter: true });
  same(level.folders.map(({ name, key }) => [name, key]), [["a/", "a"], ["d/", "d"]]);
  same(level.objects.map(({ name, key }) => [name, key]), [["a", "a"], ["a-1", "a-1"], ["b%", "b%"], ["c", "c"]]);
  const below = await page(at, bucket, { prefix: "a/", with_delimiter: true });
  same([below.folders.map(({ name, key }) => [name, key]), names(below.objects)], [[["a/y/", "y"]], ["a/x"]]);
  same(names((await page(at, bucket, { prefix: "b%" })).objects), ["b%"]);
  same(await page(at, "lt-nowhere", {}), { hasNext: false, folders: [], objects: [] });
});

storageTest("cursors return each key once, in every order", async (at) => {
  const bucket = await filled(at, "cursors");
  for (const column of ["name", "created_at", "updated_at"]) {
    for (const order of ["asc", "desc"]) {
      const sortBy = { column, order };
      same((await walk(at, bucket, { limit: 2, sortBy })).sort(), [...keys].sort());
      const level = await walk(at, bucket, { limit: 1, with_delimiter: true, sortBy });
      same(level.sort(), ["a", "a-1", "a/", "b%", "c", "d/"]);
    }
  }
  same(await walk(at, bucket, { limit: 1, sortBy: { column: "name", order: "desc" } }), [...keys].reverse());
  const first = await page(at, bucket, { limit: 2 });
  same([first.hasNext, first.nextCursorKey], [true, "a-1"]);
});

storageTest("a page holds what the caller may read", async (at) => {
  const bucket = at.ana.client.storage.from(at.closed), key = at.ownKey("paged");
  await bucket.upload(key, "x");
  const { data } = await bucket.listV2({ prefix: at.ownKey("paged") });
  same(names(data!.objects), [key]);
  const other = await at.vic.client.storage.from(at.closed).listV2({ prefix: at.ownKey("paged") });
  same(other.data!.objects, []);
});

storageTest("a page's request is checked", async (at) => {
  const refused = async (body: object) => {
    const { code, message } = await refusal(await send(at, at.open, body));
    return [code, message];
  };
  same(await refused({ limit: 0 }), ["InvalidRequest", "body/limit must be >= 1"]);
  same(await refused({ with_delimiter: "x" }), ["InvalidRequest", "body/with_delimiter must be boolean"]);
  same(await refused({ sortBy: { column: "last_accessed_at" } }), [
    "InvalidRequest",
    "body/sortBy/column must be equal to one of the allowed values",
  ]);
  for (const cursor of ["bogus", btoa("z:1"), btoa("l:a\nc:owner"), btoa("l:a\nc:created_at\na:never")]) {
    same(await refused({ cursor }), ["InvalidParameter", "Invalid Parameter continuation token"]);
  }
  const unknown = await fetch(at.url(`/object/list-v2/${at.open}`), { method: "POST" });
  same((await refusal(unknown)).message, "body must be object");
});

storageTest("lists have the current version of each object, and no deleted one", async (at) => {
  const bucket = await at.bucket("versions", { public: false });
  await at.raw("PUT", `/object/${bucket}/kept`, { body: "new" });
  await at.sql`
    insert into storage.objects (bucket_id, name, version, archived_at, is_delete_marker, is_versioned) values
      (${bucket}, 'kept', 'old', now(), false, true),
      (${bucket}, 'gone', 'old', now(), false, true), (${bucket}, 'gone', 'mark', null, true, true)`;
  same(names((await at.admin.storage.from(bucket).list()).data!), ["kept"]);
  for (const sortBy of [{ column: "name" }, { column: "created_at" }]) {
    for (const with_delimiter of [true, false]) {
      same(names((await page(at, bucket, { with_delimiter, sortBy })).objects), ["kept"]);
    }
  }
});
