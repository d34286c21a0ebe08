// The stored bytes: one file per version of an object, named by the version's UUID. A key never becomes a path, uploads
// of one key never conflict, and a file in objects/ never changes.
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { undefinedIfMissing } from "../host/optional_file.ts";

/** Objects up to this size are read into memory, which is several times faster than a stream. */
const MAX_BUFFERED_BYTES = 256 * 1024;

export interface Stored {
  size: number;
  /** MD5 in hex, as S3 makes its ETags. */
  md5: string;
}
export type Files = Awaited<ReturnType<typeof openFiles>>;

export async function openFiles(directory: string, durable: boolean) {
  const incoming = join(directory, "incoming");
  await Deno.remove(incoming, { recursive: true }).catch(undefinedIfMissing); // uploads that a crash interrupted
  await Deno.mkdir(incoming, { recursive: true });
  const pathOf = (version: string) => join(directory, "objects", version.slice(0, 2), version);
  const syncParent = async (path: string) => {
    if (durable) await syncFolder(dirname(path));
  };
  /** Adds a hard link, because bytes never change. */
  const link = async (from: string, version: string) => {
    const path = pathOf(version);
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.link(from, path);
    await syncParent(path);
  };

  return {
    /** Writes `body`. If this fails, deletes what it wrote. */
    async write(version: string, body: AsyncIterable<Uint8Array>): Promise<Stored> {
      const draft = join(incoming, version);
      const file = await Deno.open(draft, { write: true, createNew: true });
      const hash = createHash("md5");
      let size = 0;
      try {
        for await (const chunk of body) {
          hash.update(chunk);
          size += chunk.length;
          for (let at = 0; at < chunk.length;) at += file.writeSync(chunk.subarray(at)); // async: 25 times slower
        }
        if (durable) await file.sync();
      } catch (error) {
        await Deno.remove(draft);
        throw error;
      } finally {
        file.close();
      }
      const path = pathOf(version);
      await Deno.mkdir(dirname(path), { recursive: true });
      await Deno.rename(draft, path);
      await syncParent(path);
      return { size, md5: hash.digest("hex") };
    },

    /** Reads `length` bytes from `start`; undefined if the version is not stored. */
    async read(version: string, start: number, length: number): Promise<BodyInit | undefined> {
      const file = await Deno.open(pathOf(version)).catch(undefinedIfMissing);
      if (!file) return undefined;
      if (start > 0) await file.seek(start, Deno.SeekMode.Start);
      return length <= MAX_BUFFERED_BYTES ? readBuffered(file, length) : streamBytes(file, length);
    },

    copy: (from: string, to: string): Promise<void> => link(pathOf(from), to),

    /** Links a file of this disk as a version and keeps the file. May be repeated. */
    async adopt(file: string, version: string): Promise<Stored> {
      await Deno.remove(pathOf(version)).catch(undefinedIfMissing);
      await link(file, version);
      return await measure(file);
    },

    /** The size of a version in bytes; undefined if it is not stored. */
    async sizeOf(version: string): Promise<number | undefined> {
      return (await Deno.stat(pathOf(version)).catch(undefinedIfMissing))?.size;
    },

    async remove(versions: (string | null | undefined)[]): Promise<void> {
      for (const version of versions) if (version) await Deno.remove(pathOf(version)).catch(undefinedIfMissing);
    },
  };
}

async function measure(path: string): Promise<Stored> {
  using file = await Deno.open(path);
  const hash = createHash("md5");
  const buffer = new Uint8Array(2 ** 20);
  let size = 0;
  for (let read; (read = await file.read(buffer)); size += read) hash.update(buffer.subarray(0, read));
  return { size, md5: hash.digest("hex") };
}

/** Makes new names in a folder durable. */
export async function syncFolder(path: string) {
  const folder = await Deno.open(path);
  try {
    await folder.sync();
  } finally {
    folder.close();
  }
}

function readBuffered(file: Deno.FsFile, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  try {
    let at = 0;
    for (let read; at < length && (read = file.readSync(bytes.subarray(at))); at += read);
    return bytes.subarray(0, at);
  } finally {
    file.close();
  }
}

function streamBytes(file: Deno.FsFile, length: number): ReadableStream<Uint8Array> {
  let left = length;
  return new ReadableStream({
    type: "bytes",
    autoAllocateChunkSize: 65536,
    async pull(controller) {
      const view = controller.byobRequest!.view!;
      const into = new Uint8Array(view.buffer, view.byteOffset, Math.min(view.byteLength, left));
      const read = left > 0 ? await file.read(into) : null;
      left -= read ?? 0;
      if (read) controller.byobRequest!.respond(read);
      else {
        file.close();
        controller.close();
        controller.byobRequest!.respond(0);
      }
    },
    cancel: () => file.close(),
  });
}
