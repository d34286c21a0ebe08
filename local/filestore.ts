// lite StorageAdapter: object bytes on disk, metadata beside them.
import { AsyncLocalStorage } from "node:async_hooks";
import { dirname, join } from "node:path";

export interface Meta {
  cacheControl: string;
  contentLength: number;
  size: number;
  mimetype: string;
  lastModified: Date;
  eTag: string;
}
/** lite drops the Cache-Control of signed uploads: handed over around it. */
export const cacheControlOf = new AsyncLocalStorage<string>();

export class FileStore {
  driver = null;
  constructor(readonly base: string) {}
  path(bucket: string, key: string) {
    return join(this.base, bucket, key + ".object");
  }
  async head(bucket: string, key: string): Promise<Meta> {
    const m = JSON.parse(await Deno.readTextFile(this.path(bucket, key) + ".json"));
    return { ...m, lastModified: new Date(m.lastModified) };
  }
  /** `length` bytes from `start`; the file is closed at the end, on error and on cancel. */
  read(bucket: string, key: string, start: number, length: number): ReadableStream<Uint8Array> {
    let file: Deno.FsFile | undefined;
    let left = length;
    const path = this.path(bucket, key);
    return new ReadableStream({
      async start() {
        file = await Deno.open(path);
        if (start) await file.seek(start, Deno.SeekMode.Start);
      },
      async pull(c) {
        const buf = new Uint8Array(Math.min(65536, left));
        const n = left ? await file!.read(buf) : null;
        if (!n) {
          file!.close();
          c.close();
          return;
        }
        left -= n;
        c.enqueue(buf.subarray(0, n));
      },
      cancel() {
        file?.close();
      },
    });
  }
  headObject(bucket: string, key: string) {
    return this.head(bucket, key);
  }
  async getObject(bucket: string, key: string) {
    const metadata = await this.head(bucket, key);
    const file = await Deno.open(this.path(bucket, key));
    return { metadata, httpStatusCode: 200, body: file.readable };
  }
  async uploadObject(bucket: string, key: string, _v: unknown, body: ReadableStream<Uint8Array> | Uint8Array, mimetype: string, cacheControl: string) {
    const p = this.path(bucket, key);
    await Deno.mkdir(dirname(p), { recursive: true });
    const tmp = p + "." + crypto.randomUUID();
    let size = 0;
    const { createHash } = await import("node:crypto");
    const hash = createHash("md5");
    const file = await Deno.open(tmp, { write: true, createNew: true });
    try {
      for await (const c of body instanceof Uint8Array ? [body] : body) {
        size += c.length;
        hash.update(c);
        for (let w = 0; w < c.length;) w += file.writeSync(c.subarray(w)); // async writes: ten times slower
      }
    } finally {
      file.close();
    }
    cacheControl = cacheControlOf.getStore() ?? cacheControl;
    const meta: Meta = {
      cacheControl, contentLength: size, size, mimetype,
      lastModified: new Date(Math.floor(Date.now() / 1000) * 1000),
      eTag: `"${hash.digest("hex")}"`,
    };
    await Deno.rename(tmp, p);
    await Deno.writeTextFile(p + ".json", JSON.stringify(meta));
    return meta;
  }
  async deleteObject(bucket: string, key: string) {
    await Deno.remove(this.path(bucket, key)).catch(() => {});
    await Deno.remove(this.path(bucket, key) + ".json").catch(() => {});
  }
  async deleteObjects(bucket: string, keys: string[]) {
    for (const k of keys) await this.deleteObject(bucket, k);
  }
  async copyObject(sb: string, s: string, _v: unknown, db: string, d: string) {
    const to = this.path(db, d);
    await Deno.mkdir(dirname(to), { recursive: true });
    await Deno.copyFile(this.path(sb, s), to);
    await Deno.copyFile(this.path(sb, s) + ".json", to + ".json");
    const m = await this.head(db, d);
    return { httpStatusCode: 200, eTag: m.eTag, lastModified: m.lastModified };
  }
  privateAssetUrl(bucket: string, key: string) {
    return Promise.resolve(this.path(bucket, key));
  }
}
