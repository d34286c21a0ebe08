// docs/architecture.md lists each queue and event.
import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { sqlFiles } from "../../local/database/load.ts";
import { repository } from "../../local/host/project.ts";
import { queuesOf, rowsText } from "../reference_rows.ts";
import { sourceFiles } from "../source_files.ts";

const architecture = await Deno.readTextFile(join(repository, "docs/architecture.md"));
const section = (heading: string) => architecture.split(/^##+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";

Deno.test("docs/architecture.md lists each queue with the job that reads it", async () => {
  const rows = rowsText(sourceFiles(["sql"], /\.sql$/));
  const queues = Object.fromEntries(queuesOf(rows).map(([queue]) => [queue, "none yet"]));
  for await (const { name } of Deno.readDir(join(repository, "functions/worker/jobs"))) {
    const job = await Deno.readTextFile(join(repository, "functions/worker/jobs", name));
    const queue = job.match(/^ {2}queue: "(\w+)"/m)?.[1];
    if (queue) queues[queue] = name;
  }
  const listed = section("Queues").matchAll(/^\| `(\w+)` .*\| (?:\[([\w.]+)\]|(none yet))/gm);
  deepEqual(Object.fromEntries([...listed].map(([, queue, file, none]) => [queue, file ?? none])), queues);
});

Deno.test("docs/architecture.md lists each event that SQL records", async () => {
  const recorded = new Set<string>();
  for (const file of await sqlFiles(join(repository, "sql"))) {
    const sql = await Deno.readTextFile(file);
    for (const [, type] of sql.matchAll(/private\.notify(?:_each)?\(([^]*?)jsonb_build_object/g)) {
      for (const [, event] of type.matchAll(/'([a-z_]+\.[a-z_]+)'/g)) recorded.add(event);
    }
    for (const [, event] of sql.matchAll(/private\.(?:announce|notify)_\w+\(\s*'([a-z_]+\.[a-z_]+)'/g)) {
      recorded.add(event);
    }
    for (const [, status] of sql.matchAll(/private\.answer_booking\([^']*'(\w+)'/g)) recorded.add(`booking.${status}`);
  }
  const listed = section("Events").matchAll(/^\| `([\w.]+)`/gm);
  deepEqual([...listed].map(([, event]) => event).sort(), [...recorded].sort());
});
