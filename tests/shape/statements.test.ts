// The functions keep nothing on a database connection between two statements: a pooler may hand the connection to
// another caller, and it may be lost. What must be atomic is one SQL function in one statement.
import { deepStrictEqual as deepEqual, match } from "node:assert";
import { sourceFiles } from "../source_files.ts";

interface Rule {
  what: string;
  pattern: RegExp;
  /** Code that the rule must find. */
  example: string;
}

const inFunctions: Rule[] = [
  { what: "a transaction", pattern: /\.(begin|savepoint)\(/, example: "sql.begin((t) => …)" },
  { what: "a reserved connection", pattern: /\.reserve\(/, example: "await sql.reserve()" },
  { what: "a subscription", pattern: /\bsql\.(listen|subscribe)\(/, example: 'sql.listen("news", …)' },
  { what: "a driver's cursor", pattern: /`\.cursor\(/, example: "sql`select 1`.cursor(10)" },
  {
    what: "a statement about the connection",
    pattern: /[\w>]`\s*(begin|start transaction|commit|rollback|savepoint|set|reset|listen|declare|fetch|discard)\b/i,
    example: "sql`set statement_timeout = 1`",
  },
];

const inBoth: Rule[] = [
  {
    what: "a session's advisory lock",
    pattern: /\bpg_(try_)?advisory_(un)?lock(_shared|_all)?\(/,
    example: "pg_try_advisory_lock(1)",
  },
  { what: "a session's setting", pattern: /\bset_config\([^;]*,\s*false\s*\)/, example: "set_config('a', 'b', false)" },
  {
    what: "a temporary table",
    pattern: /\bcreate\s+(temp|temporary|unlogged\s+temp)\s/i,
    example: "create temp table t ()",
  },
];

function violations(folder: string, rules: Rule[]): string[] {
  return sourceFiles([folder], /\.(?:sql|ts)$/).flatMap(({ path, text }) =>
    rules.filter(({ pattern }) => pattern.test(text)).map(({ what }) => `${path}: ${what}`)
  );
}

Deno.test("functions/ contains no state of a database connection", () => {
  for (const { example, pattern } of [...inFunctions, ...inBoth]) match(example, pattern);
  deepEqual(violations("functions", [...inFunctions, ...inBoth]), []);
});

Deno.test("sql/ contains no state of a session", () => {
  deepEqual(violations("sql", inBoth), []);
});

Deno.test("tests/ starts HTTP servers by startHttpServer, which ends without waiting for connections", () => {
  deepEqual(violations("tests", [{ what: "a server of Deno", pattern: /\bDeno\.serve\(/, example: "" }]), []);
});
