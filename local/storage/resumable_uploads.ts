// Uploads that come in parts, on disk: the bytes so far in a file of their own, which is the offset, too, and a small
// file that says what they will be. Both outlive the stack, so that an upload goes on where a crash cut it off.
import { join } from "node:path";
import { type Files, ignoreAbsence, type Stored, syncFolder } from "./files.ts";
import { protocolRefusals } from "./resumable_protocol.ts";

/** How long an upload may go on. */
const lifetimeMs = 24 * 60 * 60 * 1000;

export interface Upload {
  /** The version that the object will have. */
  version: string;
  bucket: string;
  key: string;
  /** Undefined as long as the client does not know it. */
  size?: number;
  metadata: Record<string, string | null>;
  createdAt: number;
}
export type Uploads = Awaited<ReturnType<typeof openUploads>>;

export async function openUploads(directory: string, files: Files, durable: boolean) {
  await Deno.mkdir(directory, { recursive: true });
  const bytesOf = (version: string) => join(directory, version);
  const stateOf = (version: string) => join(directory, `${version}.json`);

  async function save(upload: Upload): Promise<void> {
    const draft = join(directory, `${upload.version}.draft`);
    using file = await Deno.open(draft, { write: true, create: true, truncate: true });
    file.writeSync(new TextEncoder().encode(JSON.stringify(upload)));
    if (durable) await file.sync();
    await Deno.rename(draft, stateOf(upload.version));
    if (durable) await syncFolder(directory);
  }

  async function load(version: string): Promise<Upload | undefined> {
    const state = await Deno.readTextFile(stateOf(version)).catch(ignoreAbsence);
    return state && JSON.parse(state);
  }

  async function remove(version: string): Promise<void> {
    for (const path of [bytesOf(version), stateOf(version)]) await Deno.remove(path).catch(ignoreAbsence);
  }

  /** Nobody may continue these: they are too old, or the stack was killed while it created them. */
  async function sweep(): Promise<void> {
    for (const { name } of [...Deno.readDirSync(directory)]) {
      const upload = await load(name.replace(/\.\w+$/, ""));
      if (!upload || isOver(upload)) await Deno.remove(join(directory, name)).catch(ignoreAbsence);
    }
  }
  await sweep();

  return {
    async create(upload: Upload): Promise<void> {
      await Deno.writeFile(bytesOf(upload.version), new Uint8Array(), { createNew: true });
      await save(upload);
    },

    save,

    /** The upload and how much of it has arrived: all, when it is an object already. */
    async find({ version, bucket, key }: Pick<Upload, "version" | "bucket" | "key">) {
      if (!isVersion.test(version)) throw protocolRefusals.notFound();
      const upload = await load(version);
      const coming = (await Deno.stat(bytesOf(version)).catch(ignoreAbsence))?.size;
      const offset = coming ?? await files.sizeOf(version);
      if (upload?.bucket !== bucket || upload.key !== key || offset === undefined) throw protocolRefusals.notFound();
      return { upload, offset, isObject: coming === undefined };
    },

    /** Writes what follows `offset`, and says how far it came. What a broken connection brought is kept. */
    async append(version: string, offset: number, body: AsyncIterable<Uint8Array>, room: number): Promise<number> {
      using file = await Deno.open(bytesOf(version), { write: true });
      await file.seek(offset, Deno.SeekMode.Start);
      let size = 0;
      try {
        for await (const chunk of body) {
          if (size + chunk.length > room) {
            await file.truncate(offset);
            throw protocolRefusals.tooLarge();
          }
          for (let at = 0; at < chunk.length;) at += file.writeSync(chunk.subarray(at)); // async: 25 times slower
          size += chunk.length;
        }
      } finally {
        if (durable) await file.sync();
      }
      return offset + size;
    },

    /** Gives the whole bytes to the objects. Until `settle` the upload counts as unfinished, so this may be repeated. */
    place: (version: string): Promise<Stored> => files.adopt(bytesOf(version), version),

    /** The object is there: what is left here is what tells a client so. */
    settle: (version: string): Promise<void> => Deno.remove(bytesOf(version)),

    remove,
  };
}

/** From the client, and part of a path. */
const isVersion = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const endOf = ({ createdAt }: Upload) => new Date(createdAt + lifetimeMs);
export const isOver = (upload: Upload) => Date.now() > endOf(upload).getTime();
