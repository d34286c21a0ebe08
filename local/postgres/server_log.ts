// What a server says: kept in a file of bounded size, and its last part in memory, for a disk may be full.
const MAX_FILE_BYTES = 10 * 1024 * 1024;
const TAIL_CHARS = 16 * 1024;
/** Clients that come while the server recovers or ends: so many that they would hide why. */
const TURNED_AWAY = /^.*FATAL: +the database system is .*\n/gm;

export interface ServerLog {
  /** The last part, without clients that were turned away. */
  tail(): string;
  /** Resolves when the server has closed its end. */
  ended: Promise<void>;
}

/** Writes `file` from its beginning; when it is full, it becomes `<file>.1` and begins again. */
export function keepLog(output: ReadableStream<Uint8Array>, file: string): ServerLog {
  let tail = "";
  return { tail: () => tail, ended: keep() };

  async function keep() {
    const decoder = new TextDecoder();
    let written = 0;
    let log = await open();
    for await (const chunk of output) {
      tail = (tail + decoder.decode(chunk, { stream: true })).replace(TURNED_AWAY, "").slice(-TAIL_CHARS);
      if (written + chunk.length > MAX_FILE_BYTES) {
        log?.close();
        await Deno.rename(file, `${file}.1`).catch(() => {});
        log = await open();
        written = 0;
      }
      written += chunk.length;
      await writeAll(log, chunk).catch(() => {}); // a disk that is full: the server's own writes fail, and say so
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

/** Why the server ended or did not start, as one sentence for the person at the terminal. */
export function reasonIn(tail: string, { dataDir, port }: { dataDir: string; port: number }): string {
  if (/No space left on device|Disk quota exceeded/.test(tail)) {
    return `The disk of ${dataDir} is full: free some space and start again. What was committed is kept.`;
  }
  if (/could not bind .*Address already in use/.test(tail)) {
    return `Port ${port} (database) is in use by another program: stop that one first.`;
  }
  if (/Permission denied|Read-only file system|has wrong ownership/.test(tail)) {
    return `PostgreSQL may not write to ${dataDir}: give that folder to the user who starts the stack.`;
  }
  const said = [...tail.matchAll(/ (?:FATAL|PANIC):\s+(.*)/g)].at(-1)?.[1];
  return `PostgreSQL ended${said ? ` (${said})` : ""}: ${dataDir}.log says more.`;
}
