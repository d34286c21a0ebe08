// The error of an unusable data folder is one sentence without a stack trace.
import assert from "node:assert/strict";
import { join } from "node:path";
import { makeScratchFolder } from "../../../local/host/scratch_folder.ts";
import { runningStack } from "../../../local/host/data_folder.ts";
import { explain } from "../../../local/host/startup_error.ts";
import { explainEnd } from "../../../local/postgres/server_log.ts";
import { connected } from "../../../local/postgres/client.ts";
import { waitFor } from "../../wait_for.ts";
import { repository } from "../../../local/host/project.ts";
import { probeProject } from "./probe_project.ts";

const project = await probeProject();
// so that the functions print nothing
await Deno.writeTextFile(
  join(project.folder, "functions/broken.ts"),
  "export default { fetch: () => new Response() };",
);
const isRoot = Deno.build.os === "linux" && Deno.uid() === 0;

async function newFolder() {
  const folder = await makeScratchFolder("castbase-folder-");
  return { folder, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

/** Runs an entry point as npm does; returns its exit code and stderr. */
async function run(entry: string, options: object, prefix: string[] = []) {
  const [program, ...args] = [...prefix, Deno.execPath(), "run", "-A", "--no-check", entry, JSON.stringify(options)];
  const { code, stderr } = await new Deno.Command(program, {
    args,
    cwd: repository,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  })
    .output();
  return { code, message: new TextDecoder().decode(stderr).trim() };
}

const start = (dataDir: string, more: object = {}, prefix?: string[]) =>
  run(join(import.meta.dirname!, "run_probe.ts"), { dataDir, project: project.folder, ...more }, prefix);

Deno.test("the error names an unusable data folder in one sentence", async () => {
  await using temporary = await newFolder();
  const { folder } = temporary;
  const file = join(folder, "file");
  await Deno.writeTextFile(file, "");
  const foreign = join(folder, "foreign"), old = join(folder, "old");
  await Deno.mkdir(join(foreign, "postgres"), { recursive: true });
  await Deno.writeTextFile(join(foreign, "postgres/notes.txt"), "mine");
  await Deno.mkdir(join(old, "postgres"), { recursive: true });
  await Deno.writeTextFile(join(old, "postgres/PG_VERSION"), "16\n");
  const expected: [string, string][] = [
    [file, `${file} cannot be used: a file has that name; move it away.`],
    [foreign, `${foreign}/postgres is not a folder of PostgreSQL. Move it away, then start again.`],
    [
      old,
      `${old}/postgres was created by PostgreSQL 16, and this stack runs 17. Move it away, or run npm run db:reset.`,
    ],
  ];
  const outcomes = await Promise.all(expected.map(([dataDir]) => start(dataDir)));
  assert.deepEqual(outcomes, expected.map(([, message]) => ({ code: 1, message })));
  assert.equal(await Deno.readTextFile(join(foreign, "postgres/notes.txt")), "mine");
});

Deno.test("an invalid stack.json is ignored", async () => {
  await using temporary = await newFolder();
  for (const text of ["", "{", "null", "[]", '"x"', '{"pid": "x"}']) {
    await Deno.writeTextFile(join(temporary.folder, "stack.json"), text);
    assert.equal(await runningStack(temporary.folder), undefined, text);
  }
});

/** A command in a mount namespace of its own, where `folder` is another file system. */
const mounted = (folder: string, options: string) => [
  ...["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o "$1" tmpfs "$0" && shift && exec "$@"', folder, options],
];

async function canMount(): Promise<boolean> {
  if (!isRoot) return false;
  await using temporary = await newFolder();
  const [program, ...args] = [...mounted(temporary.folder, "size=1m"), "true"];
  const output = await new Deno.Command(program, { args, stderr: "null" }).output().catch(() => undefined);
  return output?.success ?? false;
}

const mounts = await canMount();
if (!mounts) console.log("File systems cannot be mounted here: the tests with full and read-only ones are skipped.");

Deno.test(
  "a data folder and a cache that cannot be written are named in one sentence",
  { ignore: isRoot && !mounts },
  async () => {
    await using temporary = await newFolder();
    const closed = join(temporary.folder, "closed"), dataDir = join(closed, "data");
    await Deno.mkdir(closed, { mode: isRoot ? 0o755 : 0o555 }); // root needs no permission
    const prefix = isRoot ? mounted(closed, "ro") : [];
    const reason = isRoot ? "the file system is read-only" : "permission denied; let this user read and write there";
    assert.deepEqual(await start(dataDir, {}, prefix), { code: 1, message: `${dataDir} cannot be used: ${reason}.` });
    const other = join(temporary.folder, "data"), cache = join(closed, "cache");
    assert.deepEqual(await start(other, { cache }, prefix), {
      code: 1,
      message: `${cache} cannot be used: ${reason}.`,
    });
  },
);

Deno.test("the error names a disk that is full at the start", { ignore: !mounts }, async () => {
  await using temporary = await newFolder();
  const disk = join(temporary.folder, "disk");
  await Deno.mkdir(disk);
  const { code, message } = await start(join(disk, "data"), {}, mounted(disk, "size=8m,mode=755"));
  assert.equal(code, 1);
  assert.match(
    message.split("\n").at(-1)!,
    /^(The disk of .* is full\. Free some space|\/.* cannot be used: the disk is full; free some space)/,
  );
  assert.doesNotMatch(message, /^ +at /m);
});

Deno.test("a full disk ends a running stack with one sentence", { ignore: !mounts }, async () => {
  await using temporary = await newFolder();
  const disk = join(temporary.folder, "disk"), dataDir = join(disk, "data");
  await Deno.mkdir(disk);
  const entry = join(import.meta.dirname!, "run_probe.ts");
  const [program, ...args] = [
    ...mounted(disk, "size=200m,mode=755"),
    ...[Deno.execPath(), "run", "-A", "--no-check", entry, JSON.stringify({ dataDir, project: project.folder })],
  ];
  const child = new Deno.Command(program, { args, cwd: repository, stdin: "null", stdout: "null", stderr: "piped" })
    .spawn();
  const output = child.output();
  const there = `/proc/${child.pid}/root`; // the mount, seen from here
  const { dbUrl } = await waitFor("the stack", async () => {
    const stack = await runningStack(there + dataDir);
    return stack?.dbUrl ? stack : undefined;
  }, 60);
  await Deno.open(`${there}${disk}/filler`, { create: true, write: true }).then(async (file) => {
    const block = new Uint8Array(64 * 1024);
    while (await file.write(block).catch(() => 0));
    file.close();
  });
  const adminUrl = Object.assign(new URL(dbUrl!), { username: "supabase_admin" }).href;
  await waitFor(
    "the end of the database",
    () =>
      connected(
        adminUrl,
        (sql) => sql`select pg_logical_emit_message(true, 'x', repeat('x', 1000000)), pg_switch_wal()`,
      )
        .then(() => false, (error) => error.code === "ECONNREFUSED"),
    60,
  );
  const { code, stderr } = await output;
  const message = new TextDecoder().decode(stderr).trim();
  assert.equal(code, 1);
  assert.equal(
    message.split("\n").at(-1),
    `The disk of ${dataDir}/postgres is full. Free some space and start again. Committed data is kept.`,
  );
});

Deno.test("explain returns a sentence for errors of the system and of a full database, none for others", () => {
  const failure = (code: string, message: string) => Object.assign(new Error(message), { code });
  const cases: [unknown, string | undefined][] = [
    [
      failure("EROFS", "Read-only file system (os error 30): mkdir '/x/.data'"),
      "/x/.data cannot be used: the file system is read-only.",
    ],
    [
      failure("EDQUOT", "Disk quota exceeded (os error 122)"),
      "A file cannot be used: the disk quota is used up; free some space.",
    ],
    [
      new Error("cp failed: cp: error writing '/x/.data/postgres.unfinished/base/1/1255': No space left on device"),
      "/x/.data/postgres.unfinished/base/1/1255 cannot be used: the disk is full; free some space.",
    ],
    [
      new Error("outer", { cause: failure("53100", "could not extend file") }),
      "The database cannot write: the disk is full; free some space.",
    ],
    [new TypeError("x is not a function"), undefined],
    ["no error", undefined],
  ];
  for (const [error, sentence] of cases) assert.equal(explain(error), sentence);
});

Deno.test("explainEnd reads the reason from the server's log", () => {
  const where = { dataDir: "/x/postgres", port: 54322 };
  const cases: [string, string][] = [
    [
      'PANIC:  could not write to file "pg_wal/xlogtemp.9": No space left on device\n',
      "The disk of /x/postgres is full. Free some space and start again. Committed data is kept.",
    ],
    [
      'LOG:  could not bind IPv4 address "127.0.0.1": Address already in use\nFATAL:  could not create any TCP/IP sockets\n',
      "Port 54322 (database) is in use. Stop the other program first.",
    ],
    [
      'FATAL:  data directory "/x/postgres" has wrong ownership\n',
      "PostgreSQL may not write to /x/postgres. Make the user who starts the stack its owner.",
    ],
    [
      "2026 UTC [1] FATAL:  lock file is empty\n",
      "PostgreSQL stopped unexpectedly (lock file is empty); see /x/postgres.log.",
    ],
    ["", "PostgreSQL stopped unexpectedly; see /x/postgres.log."],
  ];
  for (const [tail, reason] of cases) assert.equal(explainEnd(tail, where), reason);
});
