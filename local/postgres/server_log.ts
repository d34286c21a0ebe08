// The output of a server: in a file of bounded size, and its end in memory, because the disk may be full.
const MAX_FILE_BYTES = 10 * 1024 * 1024;
const TAIL_CHARS = 16 * 1024;
/** Messages about rejected clients during recovery or shutdown, which would hide the reason. */
const REJECTED_CLIENTS = /^.*FATAL: +the database system is .*\n/gm;

interface ServerLog {
  /** The end of the output, without rejected clients. */
  tail(): string;
  /** Resolves when the server has closed its output. */
  ended: Promise<void>;
}

/** Overwrites `file`. A full file is renamed to `<file>.1`. */
export function keepLog(output: ReadableStream<Uint8Array>, file: string): ServerLog {
  let tail = "";
  return { tail: () => tail, ended: keep() };

  async function keep() {
    const decoder = new TextDecoder();
    let written = 0;
    let log = await open();
    for await (const chunk of output) {
      tail = (tail + decoder.decode(chunk, { stream: true })).replace(REJECTED_CLIENTS, "").slice(-TAIL_CHARS);
      if (written + chunk.length > MAX_FILE_BYTES) {
        log?.close();
        await Deno.rename(file, `${file}.1`).catch(() => {});
        log = await open();
        written = 0;
      }
      written += chunk.length;
      await writeAll(log, chunk).catch(() => {}); // if the disk is full, the server reports it
    }
    log?.close();
  }

  function open() {
    return Deno.open(file, { create: true, write: true, truncate: true }).catch(() => undefined);
  }
}

async function writeAll(file: Deno.FsFile | undefined, bytes: Uint8Array) {
  for (let rest = bytes; file && rest.length;) rest = rest.subarray(await file.write(rest));
}

/** Explains in one message why the server ended or did not start. */
export function explainEnd(tail: string, { dataDir, port }: { dataDir: string; port: number }): string {
  if (/No space left on device|Disk quota exceeded/.test(tail)) {
    return `The disk of ${dataDir} is full. Free some space and start again. Committed data is kept.`;
  }
  if (/could not bind .*Address already in use/.test(tail)) {
    return `Port ${port} (database) is in use. Stop the other program first.`;
  }
  if (/Permission denied|Read-only file system|has wrong ownership/.test(tail)) {
    return `PostgreSQL may not write to ${dataDir}. Make the user who starts the stack its owner.`;
  }
  const error = [...tail.matchAll(/ (?:FATAL|PANIC):\s+(.*)/g)].at(-1)?.[1];
  return `PostgreSQL stopped unexpectedly${error ? ` (${error})` : ""}; see ${dataDir}.log.`;
}
