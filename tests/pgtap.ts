// Runs tests/sql: node local/deno.mjs tests/pgtap.ts [path …] [--from-sql]
// Each file is one transaction that it rolls back, as `supabase test db` expects. It runs in a database made from the
// migrations and tests/sql/000_setup; with --from-sql, from sql/ without a migration.
import { join, relative, resolve } from "node:path";
import { loadDeclared, sqlFiles } from "../local/database/load.ts";
import { migrate } from "../local/database/migrations.ts";
import type { Sources } from "../local/database/build_databases.ts";
import { projectPaths } from "../local/host/project.ts";
import postgres, { connect } from "../local/postgres/client.ts";
import { updatePartitions } from "../local/realtime/partitions.ts";
import { type Scratch, startScratch } from "../local/database/scratch.ts";
import { repository } from "../local/host/project.ts";
import { type Failure, readTap, type Report } from "./tap.ts";

export interface PgtapOptions {
  /** Only the files below these paths, or these files themselves. */
  only?: string[];
  /** Test sql/ instead of the migrations. */
  fromSql?: boolean;
  sources?: Sources;
  tests?: string;
  databases?: number;
  /** The server to create databases on; by default one of its own. */
  scratch?: Scratch;
  onFile?: (file: string, report: Report) => void;
}

export interface PgtapResult {
  files: number;
  passed: number;
  failed: number;
  failures: (Failure & { file: string })[];
}

/** Runs the pgTAP files concurrently; each database takes the next file. */
export async function runPgtap(options: PgtapOptions = {}): Promise<PgtapResult> {
  const { sources = projectPaths(), tests = join(repository, "tests/sql"), databases = 3 } = options;
  const only = options.only?.map((path) => resolve(path));
  const files = (await sqlFiles(tests)).filter((file) =>
    file.endsWith(".test.sql") && (!only?.length || only.some((path) => file === path || file.startsWith(`${path}/`)))
  );
  await using own = options.scratch ? undefined : await startScratch();
  const scratch = options.scratch ?? own!;
  const failures = await prepareTests(
    await scratch.create("tests"),
    tests,
    (url) => options.fromSql ? loadDeclared(url, sources.sql) : migrate(url, sources),
  );
  if (failures.length) return { files: files.length, passed: 0, failed: failures.length, failures };
  const urls = Promise.all(
    Array.from(
      { length: Math.min(databases, files.length) },
      (_, number) => scratch.create(`tests_${number}`, "tests"),
    ),
  );
  return await runFiles(files, await urls, options);
}

/** Runs files in these databases; each takes the next file. */
export async function runFiles(
  files: string[],
  urls: string[],
  { tests = join(repository, "tests/sql"), onFile }: Pick<PgtapOptions, "tests" | "onFile"> = {},
): Promise<PgtapResult> {
  const result: PgtapResult = { files: files.length, passed: 0, failed: 0, failures: [] };
  const queue = [...files];
  await Promise.all(urls.map(async (url) => {
    for (let file = queue.shift(); file; file = queue.shift()) {
      const path = relative(tests, file);
      const report = await runFile(url, await Deno.readTextFile(file));
      result.passed += report.passed;
      result.failed += report.failures.length;
      result.failures.push(...report.failures.map((failure) => ({ file: path, ...failure })));
      onFile?.(path, report);
    }
  }));
  return result;
}

/** Prepares the template of the test databases: the product, pgTAP and the factories. Returns what is wrong with it. */
export async function prepareTests(url: string, tests: string, fill: (url: string) => Promise<void>) {
  await fill(url);
  await updatePartitions(Object.assign(new URL(url), { username: "supabase_admin" }).href); // as a running Realtime
  const failures: PgtapResult["failures"] = [];
  for (const file of (await sqlFiles(tests)).filter((file) => file.startsWith(join(tests, "000_setup/")))) {
    const report = await runFile(url, await Deno.readTextFile(file));
    failures.push(...report.failures.map((failure) => ({ file: relative(tests, file), ...failure })));
  }
  return failures;
}

/** Runs a file as one message and reads its rows as they arrive, so that results before an error count. */
async function runFile(url: string, text: string): Promise<Report> {
  const sql = connect(url);
  const lines: string[] = [];
  try {
    // as psql prints rows for pg_prove
    await sql.unsafe(text).simple().raw().forEach((row) => lines.push(row.map((value) => value ?? "").join("|")));
    return readTap(lines.join("\n"));
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    const report = readTap(lines.join("\n"), { endsEarly: true });
    const tests = report.passed + report.failures.length;
    report.failures.push(
      error.message === "# No tests run!" // printed by finish()
        ? { title: "the file has no tests", diagnostics: "" }
        : {
          title: `the file ended after ${tests} ${tests === 1 ? "test" : "tests"}`,
          diagnostics: describeError(error, text),
        },
    );
    return report;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function describeError(error: postgres.PostgresError, text: string): string {
  const line = error.position && text.slice(0, Number(error.position) - 1).split("\n").length;
  return [
    `${error.code} ${error.message}`,
    line && `at line ${line}`,
    error.detail && `detail: ${error.detail}`,
    error.hint && `hint: ${error.hint}`,
    error.where,
  ].filter(Boolean).join("\n") + "\n";
}

/** Formats failures: file, description, actual and expected values. */
export function describeResult({ files, passed, failed, failures }: PgtapResult): string {
  const each = failures.map(({ file, title, diagnostics }) =>
    `not ok  ${file}: ${title}\n${diagnostics.trimEnd().replace(/^(?=.)/gm, "          ")}\n`
  );
  return [...each, `${passed} pgTAP tests of ${files} files passed, ${failed} failed.`].join("\n");
}

if (import.meta.main) {
  const unknown = Deno.args.find((argument) => argument.startsWith("--") && argument !== "--from-sql");
  if (unknown) {
    console.error(`Unknown: ${unknown}. Usage: tests/pgtap.ts [path …] [--from-sql]`);
    Deno.exit(2);
  }
  const result = await runPgtap({
    only: Deno.args.filter((argument) => !argument.startsWith("--")),
    fromSql: Deno.args.includes("--from-sql"),
  });
  console.log(describeResult(result));
  if (result.failed || result.files === 0) Deno.exit(1);
}
