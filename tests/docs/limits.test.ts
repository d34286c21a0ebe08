// docs/limits.md lists every rate limit and every setting that limits something with its default value, and no other.
import { deepEqual, ok } from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { sourceFiles } from "../source_files.ts";

const document = await Deno.readTextFile(join(repository, "docs/limits.md"));
const sql = sourceFiles(["sql"], /\.sql$/).map(({ text }) => text).join("\n");

Deno.test("docs/limits.md lists every key under which SQL counts calls", () => {
  const keys = new Set<string>();
  const counted =
    /consume_rate_limit\(\s*'([a-z_-]+)[/:]|consume_plan_rate_limit\('(\w+)'|(?:email|address)_rate_limit_key\('([a-z_-]+)'/g;
  for (const [, key, planned, ofPeer] of sql.matchAll(counted)) keys.add(key ?? planned ?? ofPeer);
  const section = document.slice(document.indexOf("## Rate limits"), document.indexOf("## Totals"));
  const listed = [...section.matchAll(/\| `([a-z_-]+)` +\|$/gm)].map(([, key]) => key);
  deepEqual([...new Set(listed)].sort(), [...keys].sort());
});

Deno.test("docs/limits.md lists every setting that limits something", () => {
  const settings = [...sql.matchAll(/^ {4}\('([a-z_]+)', (?:'|null)/gm)].map(([, key]) => key)
    .filter((key) => /_(per_\w+|days|hours|bytes)$/.test(key) && !key.endsWith("_paid"));
  const listed = [...document.matchAll(/`([a-z_]+_(?:per_\w+|days|hours|bytes))`/g)].map(([, key]) => key);
  deepEqual([...new Set(listed)].sort(), [...new Set(settings)].sort());
});

Deno.test("docs/limits.md has the attempts of queue messages", () => {
  const attempts = [...sql.matchAll(/^ {4}\('\w+', (\d+), interval '/gm)].map(([, number]) => Number(number));
  ok(attempts.length > 10);
  ok(document.includes(`| ${Math.min(...attempts)} to ${Math.max(...attempts)} by queue `), String(attempts));
});

/** The default values in SQL; `{name}` is the value of another setting, and an empty text means unlimited. */
const defaults = new Map([...sql.matchAll(/^ {4}\('([a-z_]+)', '([^']*)'/gm)].map(([, key, value]) => [key, value]));
const defaultOf = (key: string): string =>
  defaults.get(key)!.replace(/^\{(\w+)\}$/, (_, other) => defaultOf(other)) || "no limit";

/** `2,000` → 2000, `5 MB` → 5242880 */
function valueIn(cell: string): string {
  const [, number, unit] = /^([\d,]+)( MB)?/.exec(cell) ?? [cell, cell];
  return String(Number(number.replaceAll(",", "")) * (unit ? 1024 ** 2 : 1));
}

Deno.test("docs/limits.md has the default value of every setting that limits something", () => {
  const rows = [...document.matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row.split("|").map((cell) => cell.trim()));
  const listed: string[][] = [], expected: string[][] = [];
  for (const row of rows) {
    const key = row.map((cell) => /^`(\w+)`/.exec(cell)?.[1]).find((key) => key && defaults.has(key));
    if (!key) continue;
    const isByPlan = row.length === 6; // columns Free and Paid
    listed.push([key, ...isByPlan ? row.slice(2, 4).map(valueIn) : [valueIn(row[1])]]);
    const paidKey = defaults.has(`${key}_paid`) ? `${key}_paid` : key;
    expected.push([key, defaultOf(key), ...isByPlan ? [defaultOf(paidKey)] : []]);
  }
  deepEqual(listed, expected);
  ok(listed.length > 20);
});
