// Each entry of docs/decisions has the form that its README describes: a decision, its reason, and a cost if it has one.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { basename, join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { sourcePaths } from "../source_files.ts";

const folder = "docs/decisions";
const files = sourcePaths(folder).map((path) => basename(path));
const read = (file: string) => Deno.readTextFileSync(join(repository, folder, file));

/** The longest entry that is still one decision. */
const MAX_CHARACTERS = 600;

/** The entries of a page, each on one line. */
const entriesOf = (text: string) =>
  [...text.matchAll(/^- .*(?:\n {2}\S.*)*/gm)].map(([entry]) => entry.replace(/\n\s+/g, " "));

/** What an entry lacks, or undefined. */
function problemOf(entry: string): string | undefined {
  const [, reason, costs] = /^- \*\*[^*]+\.\*\* (.*?)(?: ?Cost: (.*))?$/.exec(entry) ?? [];
  if (reason === undefined) return "does not begin with a decision, a bold sentence";
  if (!/[.)]$/.test(reason)) return "has no reason";
  if (costs !== undefined && (!costs.endsWith(".") || costs.includes("Cost:") || /^none\b/i.test(costs))) {
    return "does not end with its cost";
  }
  if (entry.length > MAX_CHARACTERS) return `has more than ${MAX_CHARACTERS} characters`;
}

Deno.test("the check of decisions rejects an entry without decision or reason, with an empty cost, and one that is too long", () => {
  const entry = "- **Tea is green.** Black tea is bitter. Cost: it is dearer.";
  const entries = [
    entry,
    "- Tea.",
    entry.replace("Black tea is bitter. ", ""),
    entry.replace(/ Cost.*/, ""),
    entry.replace("it is dearer", "none"),
  ];
  deepEqual([...entries, entry.replace("bitter", "bitter ".repeat(99))].map(problemOf), [
    undefined,
    "does not begin with a decision, a bold sentence",
    "has no reason",
    undefined,
    "does not end with its cost",
    "has more than 600 characters",
  ]);
});

Deno.test("each entry of docs/decisions has a decision and a reason, and ends with its cost if it has one", () => {
  const problems: string[] = [];
  for (const file of files.filter((name) => name !== "README.md")) {
    const entries = entriesOf(read(file));
    if (!entries.length) problems.push(`${file}: no entries`);
    for (const entry of entries) {
      const problem = problemOf(entry);
      if (problem) problems.push(`${file}: ${problem}: ${entry}`);
    }
  }
  equal(problems.join("\n"), "");
});

Deno.test("docs/decisions/README.md lists each file of its folder", () => {
  const listed = [...read("README.md").matchAll(/^\| \[\w+\.md\]\((\w+\.md)\)/gm)].map(([, file]) => file);
  deepEqual([...listed, "README.md"].sort(), files);
});

Deno.test("docs/decisions/dependencies.md gives a reason for each dependency of the manifests, and for no other", () => {
  const decided = [...read("dependencies.md").matchAll(/^- \*\*(.+?)\.\*\*/gm)];
  const names = decided.flatMap(([, decision]) => [...decision.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  const manifests = ["package.json", "local/package.json", "bench/package.json"]
    .map((path) => JSON.parse(Deno.readTextFileSync(join(repository, path))));
  const installed = manifests.flatMap((one) => Object.keys({ ...one.dependencies, ...one.devDependencies }));
  deepEqual(names.sort(), [...new Set(installed)].sort());
});
