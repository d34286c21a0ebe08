// docs/front_ends.md lists each type of notification.
import { deepStrictEqual as deepEqual } from "node:assert";
import { join } from "node:path";
import { sqlFiles } from "../../local/database/load.ts";
import { repository } from "../../local/host/project.ts";

const frontEnds = await Deno.readTextFile(join(repository, "docs/front_ends.md"));

Deno.test("docs/front_ends.md lists each type of notification that SQL records", async () => {
  const recorded = new Set<string>();
  for (const file of await sqlFiles(join(repository, "sql"))) {
    const sql = await Deno.readTextFile(file);
    for (const [, type] of sql.matchAll(/private\.notify(?:_each)?\(([^]*?)jsonb_build_object/g)) {
      for (const [, event] of type.matchAll(/'([a-z_]+\.[a-z_]+)'/g)) recorded.add(event);
    }
    for (const [, event] of sql.matchAll(/private\.(?:announce|notify)_\w+\(\s*'([a-z_]+\.[a-z_]+)'/g)) {
      recorded.add(event);
    }
    for (const [, status] of sql.matchAll(/private\.answer_booking(?:_as_host)?\([^']*'(\w+)'/g)) {
      recorded.add(`booking.${status}`);
    }
  }
  const listed = frontEnds.split("\n### Notification types\n")[1].split("\n##")[0].matchAll(/^\| `([\w.]+)`/gm);
  deepEqual([...listed].map(([, event]) => event).sort(), [...recorded].sort());
});
