// The fixture of the storage tests: buckets, and policies that give each user a folder.
import { deepStrictEqual as same } from "node:assert";
import { connectTo } from "../../database.ts";
import { stack as running, type StackInfo } from "../../stack.ts";
import { type Client, client, signIn } from "../rest/fixture.ts";
import { waitFor } from "../../wait_for.ts";

async function fixture(stack: StackInfo) {
  const sql = connectTo(stack.dbUrl, 2);
  const admin = client(stack, stack.secretKey);
  const prefix = `lt-${crypto.randomUUID().slice(0, 8)}`;
  const [open, closed] = [`${prefix}-open`, `${prefix}-closed`];
  await admin.storage.createBucket(open, { public: true });
  await admin.storage.createBucket(closed);
  await sql.unsafe(`
    create policy "${prefix} own" on storage.objects to authenticated
      using (bucket_id like '${prefix}-%' and owner_id = (select auth.uid())::text)
      with check (bucket_id like '${prefix}-%' and (storage.foldername(name))[1] = (select auth.uid())::text);
  `).simple();
  const [ana, vic] = [await signIn(stack), await signIn(stack)];
  const url = (path: string) => `${stack.url}/storage/v1${path}`;
  return {
    stack,
    sql,
    admin,
    anon: client(stack),
    ana,
    vic,
    /** A public bucket, and a private one that policies give access to. */
    open,
    closed,
    /** A bucket of one test, with its own settings. */
    async bucket(name: string, settings: Parameters<typeof admin.storage.createBucket>[1]) {
      const { error } = await admin.storage.createBucket(`${prefix}-${name}`, settings);
      if (error) throw error;
      return `${prefix}-${name}`;
    },
    /** A key in ana's folder. */
    ownKey: (name: string) => `${ana.id}/${name}`,
    url,
    /** A request with the secret key, past the policies. */
    raw: (method: string, path: string, init: RequestInit = {}) =>
      fetch(url(path), {
        ...init,
        method,
        headers: { apikey: stack.secretKey, ...Object.fromEntries(new Headers(init.headers)) },
      }),
    /** As a listener's app: no key, no token. */
    get: (path: string, headers: HeadersInit = {}, method = "GET") =>
      fetch(url(`/object/public/${path}`), { method, headers }),
    async close() {
      for (const { id } of await sql`select id from storage.buckets where id like ${prefix + "-%"}`) {
        await deleteBucket(admin, id);
      }
      await sql.unsafe(`drop policy "${prefix} own" on storage.objects`);
      await sql.end({ timeout: 1 });
    },
  };
}
export type Stored = Awaited<ReturnType<typeof fixture>>;

let made: Promise<Stored> | undefined;
let left = 0;

/** A test on the buckets of `stack`, by default the shared one; a file's last test removes them. */
export function storageTest(title: string, run: (at: Stored) => Promise<void>, stack?: StackInfo) {
  left++;
  Deno.test({
    name: title,
    sanitizeOps: false, // the connection outlives the test
    sanitizeResources: false,
    async fn() {
      const at = await (made ??= fixture(stack ?? await running()));
      try {
        await run(at);
      } finally {
        if (--left === 0) await at.close();
      }
    },
  });
}

/** Deletes a bucket with its objects, which the service deletes when it has time. */
export async function deleteBucket({ storage }: Client, id: string) {
  const { error } = await storage.emptyBucket(id);
  if (error) throw error;
  await waitFor(`the deletion of ${id}`, async () => (await storage.deleteBucket(id)).error === null);
}

/** Compares the members that `expected` has: later versions of the service return more. */
export const assertMembers = (actual: object, expected: object) =>
  same(Object.fromEntries(Object.keys(expected).map((name) => [name, actual[name as keyof typeof actual]])), expected);

/** The service's error: its own status in the body, and HTTP's. */
export async function refusal(response: Response) {
  const { statusCode, error, code, message } = await response.json();
  return { http: response.status, statusCode, error, code, message };
}

/** The service's own error status, as storage-js returns it; undefined on success. */
export const status = (error: unknown) => (error as { statusCode?: string } | null)?.statusCode;
