// What a saved file changes for the tests of npm run test:watch.
import { relative } from "node:path";
import { isTest } from "./tiers.ts";

/** Paths from the repository's root, and when the first of them was saved (ms). */
export interface Changes {
  paths: string[];
  since: number;
}

/** What must be made again before the tests run: the database, the whole stack, bundles, the functions, or nothing. */
export type Effect = "database" | "stack" | "browser" | "functions" | "tests";

/** What a saved file changes for these test files of one kind, .sql or .ts; undefined if nothing. */
export function effectOf(path: string, files: string[]): Effect | undefined {
  const below = (...folders: string[]) => folders.some((folder) => path.startsWith(`${folder}/`));
  if (files.includes(path)) return "tests";
  if (below("sql") && path.endsWith(".sql")) return "database";
  if (files.every((file) => file.endsWith(".sql"))) return below("tests/sql/000_setup") ? "database" : undefined;
  if (below("supabase/migrations")) return "database"; // which records them as applied
  if (below("functions/built", "tests/sql")) return undefined;
  if (below("functions/browser")) return "browser";
  if (below("functions", "types")) return "functions";
  if (below("local", "supabase")) return "stack";
  return below("docs", "scripts") || below("tests") && !isTest(path) ? "tests" : undefined;
}

/** An editor's save is several events, a formatter or a checkout many files: a batch ends after a quiet moment. */
const QUIET_MS = 150, MAX_BATCH_MS = 2000;

/** The saved files, in batches, until the watcher closes. Those saved during a run are one batch after it. */
export async function* savedPaths(watcher: Deno.FsWatcher, root: string): AsyncGenerator<Changes> {
  let batch = new Map<string, number>(), last = 0, hasClosed = false;
  let wake = () => {};
  (async () => {
    for await (const { kind, paths } of watcher) {
      if (kind === "access") continue;
      last = Date.now();
      for (const path of paths.map((path) => relative(root, path)).filter(isSource)) {
        if (!batch.has(path)) batch.set(path, last);
      }
      if (batch.size) wake();
    }
    hasClosed = true;
    wake();
  })();
  while (!hasClosed) {
    if (!batch.size) await new Promise<void>((resolve) => wake = resolve);
    while (!hasClosed && Date.now() - last < QUIET_MS && Date.now() - Math.min(...batch.values()) < MAX_BATCH_MS) {
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS / 5));
    }
    if (hasClosed) return;
    const since = Math.min(...batch.values()), paths = [...batch.keys()];
    batch = new Map();
    yield { paths, since };
  }
}

/** Not the temporary files of editors. */
const isSource = (path: string) => /^[^.].*\.(?:ts|js|sql|json|toml|css|html|md)$/.test(path) && !/\/[.#]/.test(path);
