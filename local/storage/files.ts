// The stored bytes: one file per version of an object, named by the version's UUID. A key never becomes a path, two
// uploads of one key never meet, and a file never changes once it has its place.
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";

/** Up to here an object is answered from memory, several times faster than by a stream. */
const smallEnough = 256 * 1024;

export interface Stored {
  size: number;
  /** MD5 in hex, as S3 makes its ETags. */
  md5: string;
}
export type Files = Awaited<ReturnType<typeof openFiles>>;

export async function openFiles(directory: string, durable: boolean) {
  const incoming = join(directory, "incoming");
  await Deno.remove(incoming, { recursive: true }).catch(ignoreAbsence); // uploads that a crash cut off
  await Deno.mkdir(incoming, { recursive: true });
  const pathOf = (version: string) => join(directory, "objects", version.slice(0, 2), version);
  const settle = async (path: string) => {
    if (durable) await syncFolder(dirname(path));
  };
  /** A second name for bytes that never change. */
  const link = async (from: string, version: string) => {
    const path = pathOf(version);
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.link(from, path);
    await settle(path);
  };

  return {
    /** Writes all of `body`; nothing is left when it fails. */
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
      await settle(path);
      return { size, md5: hash.digest("hex") };
    },

    /** `length` bytes from `start`; undefined when nothing is stored. */
    async read(version: string, start: number, length: number): Promise<BodyInit | undefined> {
      const file = await Deno.open(pathOf(version)).catch(ignoreAbsence);
      if (!file) return undefined;
      if (start > 0) await file.seek(start, Deno.SeekMode.Start);
      return length <= smallEnough ? inOneGo(file, length) : firstBytes(file, length);
    },

    copy: (from: string, to: string): Promise<void> => link(pathOf(from), to),

    /** Takes in a file that was written elsewhere on this disk, and keeps its old name, too. Safe to repeat. */
    async adopt(file: string, version: string): Promise<Stored> {
      await Deno.remove(pathOf(version)).catch(ignoreAbsence);
      await link(file, version);
      return await measure(file);
    },

    /** How many bytes are stored; undefined when none are. */
    async sizeOf(version: string): Promise<number | undefined> {
      return (await Deno.stat(pathOf(version)).catch(ignoreAbsence))?.size;
    },

    async remove(versions: (string | null | undefined)[]): Promise<void> {
      for (const version of versions) if (version) await Deno.remove(pathOf(version)).catch(ignoreAbsence);
    },
  };
}

export function ignoreAbsence(error: unknown): undefined {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

async function measure(path: string): Promise<Stored> {
  using file = await Deno.open(path);
  const hash = createHash("md5");
  const buffer = new Uint8Array(2 ** 20);
  let size = 0;
  for (let read; (read = await file.read(buffer)); size += read) hash.update(buffer.subarray(0, read));
  return { size, md5: hash.digest("hex") };
}

/** A new name is durable when its folder is. */
export async function syncFolder(path: string) {
  const folder = await Deno.open(path);
  try {
    await folder.sync();
  } finally {
    folder.close();
  }
}

function inOneGo(file: Deno.FsFile, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  try {
    let at = 0;
    for (let read; at < length && (read = file.readSync(bytes.subarray(at))); at += read);
    return bytes.subarray(0, at);
  } finally {
    file.close();
  }
}

function firstBytes(file: Deno.FsFile, length: number): ReadableStream<Uint8Array> {
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
