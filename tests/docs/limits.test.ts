// docs/limits.md lists every rate limit and every setting that limits something, and no other.
import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/project.ts";
import { sourceFiles } from "../source_files.ts";

const document = await Deno.readTextFile(join(repository, "docs/limits.md"));
const sql = sourceFiles(["sql"], /\.sql$/).map(({ text }) => text).join("\n");

Deno.test("docs/limits.md lists every key under which SQL counts calls", () => {
  const keys = new Set<string>();
  const counted =
    /consume_rate_limit\(\s*'([a-z_-]+)[/:]|consume_plan_rate_limit\('(\w+)'|email_rate_limit_key\('([a-z_-]+)'/g;
  for (const [, key, planned, ofEmail] of sql.matchAll(counted)) keys.add(key ?? planned ?? ofEmail);
  const section = document.slice(document.indexOf("## Rate limits"), document.indexOf("## Totals"));
  const listed = [...section.matchAll(/\| `([a-z_-]+)` +\|$/gm)].map(([, key]) => key);
  deepEqual(listed.sort(), [...keys].sort());
});

Deno.test("docs/limits.md lists every setting that limits something", () => {
  const settings = [...sql.matchAll(/^ {4}\('([a-z_]+)', (?:'|null)/gm)].map(([, key]) => key)
    .filter((key) => /_(per_\w+|days|hours|bytes)$/.test(key) && !key.endsWith("_paid"));
  const listed = [...document.matchAll(/`([a-z_]+_(?:per_\w+|days|hours|bytes))`/g)].map(([, key]) => key);
  deepEqual([...new Set(listed)].sort(), [...new Set(settings)].sort());
});
