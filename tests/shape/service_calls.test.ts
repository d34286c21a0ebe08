// TypeScript calls SQL functions by name: a call as the service has the types of the catalog, and a query that is more
// than one call names each argument.
import { deepStrictEqual as deepEqual } from "node:assert";
import { serviceFunctions } from "../../types/service.ts";
import { sourceFiles } from "../source_files.ts";

const sources = sourceFiles(["functions", "scripts"], /\.ts$/);

/** Calls of private functions in a text, each with its arguments. */
function callsIn(text: string): { name: string; args: string[] }[] {
  return [...text.matchAll(/\bprivate\.([a-z]\w*)\(/g)].map((found) => ({
    name: found[1],
    args: splitArguments(text.slice(found.index + found[0].length)),
  }));
}

/** The arguments up to the closing parenthesis. */
function splitArguments(text: string): string[] {
  const args = [""];
  let depth = 0;
  for (const char of text) {
    if ("([{".includes(char)) depth++;
    if (")]}".includes(char) && depth-- === 0) break;
    if (char === "," && depth === 0) args.push("");
    else args[args.length - 1] += char;
  }
  return args.map((arg) => arg.trim()).filter(Boolean);
}

const positional = (text: string) =>
  callsIn(text).filter(({ args }) => args.some((arg) => !/^\w+ => /.test(arg))).map(({ name }) => name);

/** Without comments, which may write a call as they like. */
const codeOf = (text: string) => text.replace(/\/\*\*?[^]*?\*\/|^\s*\/\/.*$/gm, "");

Deno.test("no call of a private function in functions/ and scripts/ has an argument without its name", () => {
  deepEqual(
    positional("select private.a(x => ${f(1, 2)}, y => private.b(${z})), private.c(), private.d(${x}::text, 1)"),
    ["b", "d"],
  );
  const found = sources.flatMap(({ path, text }) => positional(codeOf(text)).map((name) => `${path}: private.${name}`));
  deepEqual(found, []);
});

Deno.test("a private function whose arguments are all values is called as the service, not in a template", () => {
  const isCall = /^select (?:\* from )?private\.\w+\([^()]*\)(?:::text)?(?: as "?\w+"?)?$/;
  const found = sources.flatMap(({ path, text }) =>
    [...codeOf(text).matchAll(/Sql(?:<[^`]*>)?`([^`]*)`/g)]
      .filter(([, query]) => isCall.test(query.trim().replace(/\s+/g, " ")))
      .map(() => path)
  );
  deepEqual(found, ["functions/database/db.ts"]); // get_setting is a function of every role
});

Deno.test("each function of types/service.ts is called", () => {
  const calls = /(?:\bservice|\w+Service|\bserviceWith\(\w+\))(?:\.text)?\(([^,]*)/g; // the first argument may choose
  const called = new Set(
    sources.flatMap(({ text }) =>
      [...codeOf(text).matchAll(calls)].flatMap(([, first]) => [...first.matchAll(/"(\w+)"/g)].map(([, name]) => name))
    ),
  );
  deepEqual(Object.keys(serviceFunctions).filter((name) => !called.has(name)), []);
});
