// npm run test:watch <path …>: runs the tests below these paths, and again at each save, on servers that stay.
// Databases come from sql/, without a migration. Deno tests find the output of the stack in .cache/watch.log.
import { join, relative, resolve } from "node:path";
import { loadDeclared } from "../local/database/load.ts";
import { recordMigrations } from "../local/database/migrations.ts";
import { startScratch } from "../local/database/scratch.ts";
import { NOT_RELOADED, RELOADED } from "../local/functions/supervisor.ts";
import { projectPaths, repository } from "../local/host/project.ts";
import { explain } from "../local/host/startup_error.ts";
import { startPostgres } from "../local/postgres/start_postgres.ts";
import { useMemoryFolder } from "./memory_folder.ts";
import { describeResult, prepareTests, runFiles } from "./pgtap.ts";
import { shareProjectCluster, shareProjectServer } from "./project_cluster.ts";
import { importsBelow } from "./shape/imports.ts";
import { sharedServersOf } from "./shared_servers.ts";
import { sourcePaths } from "./source_files.ts";
import { startTestStack, type TestStack } from "./stack.ts";
import { isBelow, isTest } from "./tiers.ts";
import { type Changes, effectOf, savedPaths } from "./watched_files.ts";

const WATCHED = ["sql", "functions", "types", "tests", "local", "supabase", "docs", "scripts"];
/** Databases for the files of a folder, as in npm test. */
const DATABASES = 3;
/** A run that takes longer is stopped. */
const MINUTES = 10;
/** Functions that do not report after these seconds are tested as they are. */
const RELOAD_SECONDS = 20;

interface Runner extends AsyncDisposable {
  /** Runs these files after the changes; the first run has none. Returns whether all passed. */
  run(files: string[], changes: Changes): Promise<boolean>;
}

const paths = projectPaths();
const LOG = join(paths.cache, "watch.log");
const named = Deno.args.map((path) => relative(repository, resolve(repository, path)));
const chosen = (extension: string) =>
  sourcePaths("tests").filter((file) => isTest(file) && file.endsWith(extension) && isBelow(file, named));
const stopping = new AbortController();
const { signal } = stopping;

if (!named.length || !chosen("").length) {
  console.error("Usage: npm run test:watch <path …>, with tests below these paths.");
  Deno.exit(2);
}
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) Deno.addSignalListener(name, () => stopping.abort());
const parent = Deno.ppid;
Deno.unrefTimer(setInterval(() => Deno.ppid !== parent && stopping.abort(), 500));
await watch();
Deno.exit();

async function watch() {
  await using _memory = await useMemoryFolder();
  const watcher = Deno.watchFs(WATCHED.map((folder) => join(repository, folder)));
  signal.addEventListener("abort", () => watcher.close());
  await using databases = keepDatabases();
  await using stack = await keepStack();
  const rerun = async (changes: Changes) => {
    await runChanged(".sql", databases, changes);
    await runChanged(".ts", stack, changes);
  };
  await rerun({ paths: [], since: 0 });
  if (!signal.aborted) console.log("Save a file to run again; press Ctrl-C to stop.");
  for await (const changes of savedPaths(watcher, repository)) await rerun(changes);
}

async function runChanged(extension: string, runner: Runner, changes: Changes) {
  const files = chosen(extension);
  const changed = changes.paths.filter((path) => effectOf(path, files));
  if (signal.aborted || !files.length || changes.since && !changed.length) return;
  const start = performance.now();
  if (changed.length) console.log(`\n${changed.join(", ")}`);
  const passed = await runner.run(files, changes).catch((error) => {
    if (!signal.aborted) console.error(explain(error) ?? error);
  });
  if (!signal.aborted) console.log(`${passed ? "ok" : "not ok"}  ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

/** Databases of one server, loaded again when sql/ or the factories change. Test files roll back what they do. */
function keepDatabases(): Runner {
  let server: ReturnType<typeof startScratch> | undefined;
  const databases: string[] = [];
  let loads = 0, template: string | undefined, urls: string[] = [];
  return {
    async run(files, changes) {
      const scratch = await (server ??= startScratch());
      const create = async (name: string, from?: string) => {
        databases.push(name);
        return await scratch.create(name, from);
      };
      if (!template || changes.paths.some((path) => effectOf(path, files) === "database")) {
        template = undefined;
        for (const name of databases.splice(0)) await scratch.drop(name);
        const name = `tests_${++loads}`, tests = join(repository, "tests/sql");
        const failures = await prepareTests(await create(name), tests, (url) => loadDeclared(url, paths.sql));
        if (failures.length) {
          console.log(describeResult({ files: 0, passed: 0, failed: failures.length, failures }));
          return false;
        }
        template = name;
        urls = [];
      }
      while (urls.length < Math.min(DATABASES, files.length)) {
        urls.push(await create(`${template}_${urls.length}`, template));
      }
      const result = await runFiles(files.map((file) => join(repository, file)), urls.slice(0, files.length));
      console.log(describeResult(result));
      return !result.failed;
    },
    async [Symbol.asyncDispose]() {
      await (await server)?.[Symbol.asyncDispose]();
    },
  };
}

/** A stack that reloads its functions, started again with another database when sql/ or local/ changes. */
async function keepStack(): Promise<Runner> {
  const output = await watchOutput(), imports = importsBelow("tests");
  const cluster = await shareProjectCluster();
  let isLoaded = false, stack: TestStack | undefined;
  const stop = async () => {
    await stack?.[Symbol.asyncDispose]();
    stack = undefined;
  };
  return {
    async run(files, { paths, since }) {
      const effects = new Set(paths.map((path) => effectOf(path, files)));
      if (effects.has("browser")) await runDeno(["run", "-A", "--no-check", "scripts/build_browser.ts"]);
      if (!isLoaded || effects.has("database")) {
        isLoaded = false;
        await loadCluster(cluster.folder);
        isLoaded = true;
        await stop();
      }
      if (effects.has("stack")) await stop();
      const needed = sharedServersOf(files, imports);
      // One for each run: its templates hold what helpers and factories were when they were filled
      await using _server = needed.databases ? await shareProjectServer() : undefined;
      if (needed.stack) {
        if (!stack) stack = await startTestStack({ watch: true }, output.stream());
        else if (effects.has("functions") || effects.has("browser")) await output.reloadAfter(since);
      }
      const parallel = files.length > 1 ? ["--parallel"] : [];
      const passed = await runDeno(["test", "--allow-all", "--no-check", ...parallel, ...files], {
        DENO_JOBS: "4",
        ...stack && { CASTBASE_TEST_STACK: JSON.stringify(stack) },
      });
      if (!passed && stack) console.error(`The output of the stack is in ${relative(repository, LOG)}.`);
      return passed;
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

/** Builds the cluster that stacks copy, from sql/ and with every migration recorded as applied. */
async function loadCluster(folder: string) {
  const next = join(folder, "next"), cluster = join(folder, "cluster");
  for (const path of [next, cluster]) await Deno.remove(path, { recursive: true }).catch(() => {}); // may be missing
  const pg = await startPostgres({ cache: paths.cache, dataDir: join(next, "data") });
  try {
    await loadDeclared(pg.url(), paths.sql);
    await recordMigrations(pg.url(), paths);
  } finally {
    await pg.stop();
  }
  await Deno.rename(next, cluster);
}

/** Writes what stacks print to a file, and tells when their functions have reloaded. */
async function watchOutput() {
  await Deno.mkdir(paths.cache, { recursive: true });
  const file = await Deno.open(LOG, { create: true, write: true, truncate: true });
  let text = "", reloadedAt = 0, onReload = () => {};
  return {
    stream() {
      const decoder = new TextDecoder();
      return new WritableStream<Uint8Array>({
        async write(chunk) {
          await file.write(chunk);
          text = (text + decoder.decode(chunk, { stream: true })).slice(-20_000);
          if (text.includes(NOT_RELOADED)) console.error(text.slice(-4000));
          if (!text.includes(RELOADED) && !text.includes(NOT_RELOADED)) return;
          text = "";
          reloadedAt = Date.now();
          onReload();
        },
      });
    },
    async reloadAfter(since: number) {
      if (reloadedAt > since) return;
      let timer;
      const timeout = new Promise<void>((resolve) => timer = setTimeout(resolve, RELOAD_SECONDS * 1000));
      const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      await Promise.race([new Promise<void>((resolve) => onReload = resolve), timeout, stopped]);
      clearTimeout(timer);
    },
  };
}

async function runDeno(args: string[], env: Record<string, string> = {}): Promise<boolean> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args,
    env,
    cwd: repository,
    stdin: "null",
    signal: AbortSignal.any([signal, AbortSignal.timeout(MINUTES * 60_000)]),
    stdout: "inherit",
    stderr: "inherit",
  }).spawn().status;
  return success;
}
