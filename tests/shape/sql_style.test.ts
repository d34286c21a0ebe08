// The style of SQL: squawk's rules (npm run lint:sql, .squawk.toml), the length of lines and the case of keywords.
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { type SourceFile, sourceFiles } from "../source_files.ts";

/** Generated. */
const EXCLUDED = /^supabase\/migrations\//;

const MAX_LINE_LENGTH = 120;

const COMMENT_OR_LITERAL = /--.*|'(?:[^']|'')*'|"[^"]*"/g;
const UPPER_CASE_KEYWORD =
  /\b(ALTER|AND|AS|BEGIN|CASE|CREATE|DELETE|DROP|ELSE|END|FROM|FUNCTION|IF|IN|INSERT|INTO|IS|JOIN|NOT|NULL|ON|OR|ORDER|RETURNS?|SELECT|SET|TABLE|THEN|UPDATE|VALUES|WHEN|WHERE)\b/;

/** "file:line: problem" of each line that is too long or has an upper-case keyword. */
function styleProblems({ path, text }: SourceFile): string[] {
  const code = text.replace(COMMENT_OR_LITERAL, (skipped) => skipped.replace(/[^\n]/g, " ")).split("\n");
  return text.split("\n").flatMap((line, n) => {
    const keyword = UPPER_CASE_KEYWORD.exec(code[n])?.[0];
    const isTooLong = [...line].length > MAX_LINE_LENGTH;
    return [...(isTooLong ? ["too long"] : []), ...(keyword ? [keyword] : [])].map((what) =>
      `${path}:${n + 1}: ${what}`
    );
  });
}

Deno.test("lines of SQL have at most 120 characters, and keywords are in lower case", () => {
  const files = sourceFiles(["sql", "tests", "local", "supabase"], /\.sql$/).filter(({ path }) => !EXCLUDED.test(path));
  ok(files.length > 250, `${files.length} files`);
  deepEqual(files.flatMap(styleProblems), []);
});

Deno.test("styleProblems finds long lines and upper-case keywords, except in comments and literals", () => {
  const text = `-- SELECT\nselect 'it''s NOT', "NULL";\n${"x".repeat(121)}\nselect 1 FROM t;\n${"é".repeat(120)}`;
  deepEqual(styleProblems({ path: "a.sql", text }), ["a.sql:3: too long", "a.sql:4: FROM"]);
});

Deno.test("squawk rejects syntax errors, tables without a schema, and types that lose data", async () => {
  const folder = await Deno.makeTempDir({ prefix: "castbase-squawk-" });
  try {
    const lint = async (text: string) => {
      const file = join(folder, "a.sql");
      await Deno.writeTextFile(file, text);
      const { code, stdout } = await new Deno.Command(join(repository, "node_modules/.bin/squawk"), {
        args: ["--config", join(repository, ".squawk.toml"), "--reporter", "gcc", file],
      }).output();
      const rules = new TextDecoder().decode(stdout).matchAll(/ (?:warning|error): ([\w-]+)/g);
      return [code, ...[...rules].map(([, rule]) => rule)];
    };
    deepEqual(await lint("create table public.t (at timestamptz, name text);"), [0]);
    deepEqual(await lint("select 1 from;"), [1, "syntax-error"]);
    deepEqual(await lint("create table t (name text);"), [1, "require-table-schema"]);
    deepEqual(await lint("create table public.t (at timestamp);"), [1, "prefer-timestamp-tz"]);
    deepEqual(await lint("create table public.t (name varchar(10));"), [1, "prefer-text-field"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
