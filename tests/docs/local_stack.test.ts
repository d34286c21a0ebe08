// The tables of local/README.md: each gap of the local stack has a test or a reason.
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";

const text = await Deno.readTextFile(join(repository, "local/README.md"));

/** The rows of the first table after this text, cell by cell. */
function rowsAfter(start: string): string[][] {
  const [table] = text.slice(text.indexOf(start)).match(/(?:^\|.*\n)+/m)!;
  return table.trimEnd().split("\n").slice(2).map((row) => row.split("|").slice(1, -1).map((cell) => cell.trim()));
}

Deno.test("each line of local/README.md on missing or different behavior has a test that exists, or a reason", () => {
  const rows = [...rowsAfter("**Missing**"), ...rowsAfter("**Different**")];
  ok(rows.length > 20, `${rows.length} rows`);
  const isProved = (proof: string) => {
    const paths = [...proof.matchAll(/`(tests\/[^`]+)`/g)].map(([, path]) => path);
    return paths.length ? paths.every((path) => existsSync(join(repository, path))) : /^Reason: \S/.test(proof);
  };
  deepEqual(rows.filter((row) => row.includes("") || !isProved(row.at(-1)!)), []);
});

Deno.test("each service that local/README.md mentions as missing or different is in its table of services", () => {
  const services = rowsAfter("## Stand-ins").flatMap(([names]) => names.split(", "));
  const mentioned = [...rowsAfter("**Missing**"), ...rowsAfter("**Different**")].map(([service]) => service);
  const absent = ["Studio, Analytics"]; // wholly missing
  deepEqual(mentioned.filter((name) => !services.includes(name) && !absent.includes(name)), []);
});
