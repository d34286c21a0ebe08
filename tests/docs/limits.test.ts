// docs/limits.md lists every rate limit and every setting that limits something with its default value, and no other.
import { deepEqual, ok } from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { planLimitsOf, queuesOf, rowsText, settingsOf } from "../reference_rows.ts";
import { sourceFiles } from "../source_files.ts";

const document = await Deno.readTextFile(join(repository, "docs/limits.md"));
const sources = sourceFiles(["sql"], /\.sql$/);
const sql = sources.map(({ text }) => text).join("\n");
const rows = rowsText(sources);

/** The default values of settings and of the free plan, and those of the plan pro that differ. null: unlimited. */
const defaults = new Map<string, string | number | null>([
  ...settingsOf(rows),
  ...planLimitsOf(rows).filter(({ plan }) => plan === "free").map((one) => [one.name, one.maxCount] as const),
]);
const defaultsOfPro = new Map(
  planLimitsOf(rows).filter(({ plan }) => plan === "pro").map((one) => [one.name, one.maxCount]),
);

Deno.test("docs/limits.md lists every key under which SQL counts calls", () => {
  const keys = new Set<string>();
  const counted =
    /consume_rate_limit\(\s*'([a-z_-]+)[/:]|consume_plan_rate_limit\('(\w+)'|(?:email|address)_rate_limit_key\('([a-z_-]+)'/g;
  for (const [, key, planned, ofPeer] of sql.matchAll(counted)) keys.add(key ?? planned ?? ofPeer);
  const section = document.slice(document.indexOf("## Rate limits"), document.indexOf("## Totals"));
  const listed = [...section.matchAll(/\| `([a-z_-]+)` +\|$/gm)].map(([, key]) => key);
  deepEqual([...new Set(listed)].sort(), [...keys].sort());
});

const planLimits = new Set(planLimitsOf(rows).map(({ name }) => name));
const PATTERN = /_(per_\w+|days|hours|bytes)$/;

Deno.test("docs/limits.md lists every setting and plan limit that limits something", () => {
  const names = [...defaults.keys()].filter((key) => PATTERN.test(key));
  const listed = [...document.matchAll(/`([a-z_]+_(?:per_\w+|days|hours|bytes))`/g)].map(([, key]) => key);
  deepEqual([...new Set(listed)].sort(), names.sort());
});

Deno.test("docs/limits.md has the attempts of queue messages", () => {
  const attempts = queuesOf(rows).map(([, number]) => number);
  ok(attempts.length > 10);
  ok(document.includes(`| ${Math.min(...attempts)} to ${Math.max(...attempts)} by queue `), String(attempts));
});

/** `2,000` → 2000, `5 MB` → 5242880 */
function valueIn(cell: string): string {
  const [, number, unit] = /^([\d,]+)( MB)?/.exec(cell) ?? [cell, cell];
  return String(Number(number.replaceAll(",", "")) * (unit ? 1024 ** 2 : 1));
}

Deno.test("docs/limits.md has the default value of everything that limits something", () => {
  const cells = [...document.matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row.split("|").map((cell) => cell.trim()));
  const listed: string[][] = [], expected: string[][] = [];
  for (const row of cells) {
    const key = row.map((cell) => /^`(\w+)`/.exec(cell)?.[1]).find((key) => key && defaults.has(key));
    if (!key) continue;
    const isByPlan = row.length === 6; // columns Free and Pro
    const pro = defaultsOfPro.has(key) ? defaultsOfPro.get(key) : defaults.get(key);
    listed.push([
      key,
      ...isByPlan ? row.slice(2, 4).map(valueIn) : [valueIn(row[1])],
      ...row.some((cell) => cell.startsWith(`\`${key}\` (plan)`)) ? ["plan"] : [],
    ]);
    expected.push([
      key,
      String(defaults.get(key)),
      ...isByPlan ? [String(pro)] : [],
      ...planLimits.has(key) ? ["plan"] : [],
    ]);
  }
  deepEqual(listed, expected);
  ok(listed.length > 20);
});
