// Each public function has its pgTAP file, tests/sql/<domain>/<function>.test.sql, and each pgTAP file has its subject.
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import { basename, relative } from "node:path";
import { sourceFiles, sourcePaths } from "../source_files.ts";

/** pgTAP files about several tables or functions together. */
const TOPICS = [
  "policies",
  "user_deletion",
  "podcast_lists",
  "feed_constraints",
  "audio_columns",
  "temporary_imports",
  "unknown_users",
  "feed_import_limits",
  "import_states",
  "podcast_statuses",
  "notices",
];

const CREATED = /^create (?:or replace )?(function|table|view|type) (public|private)\.(\w+)/gm;

/** The public functions without a test, and the tests without a subject: an object, a file of their domain or a topic. */
function unmatched(sources: { file: string; text: string }[], tests: string[]): string[] {
  const subjects = new Set<string>();
  const expected = new Set<string>();
  for (const { file, text } of sources) {
    const [domain] = file.split("/");
    subjects.add(`${domain}/${basename(file).replace(/^\d+_|\.sql$/g, "")}`);
    for (const [, kind, schema, object] of text.matchAll(CREATED)) {
      subjects.add(object);
      if (kind === "function" && schema === "public") expected.add(`${domain}/${object}.test.sql`);
    }
  }
  const hasSubject = (test: string) => {
    const path = test.replace(".test.sql", "");
    const name = path.split("/")[1];
    return subjects.has(path) || subjects.has(name) || TOPICS.includes(name);
  };
  return [
    ...[...expected].filter((test) => !tests.includes(test)).map((test) => `${test} is missing`),
    ...tests.filter((test) => !hasSubject(test)).map((test) => `${test} has no subject`),
  ];
}

Deno.test("each public function has a pgTAP file, and each pgTAP file has a subject in sql/", () => {
  const sources = sourceFiles(["sql"], /\.sql$/).map(({ path, text }) => ({ file: relative("sql", path), text }));
  const tests = sourcePaths("tests/sql", /\/\d[^/]*\/\w+\.test\.sql$/).map((path) => relative("tests/sql", path));
  ok(tests.length > 120, `${tests.length} pgTAP files`);
  deepEqual(unmatched(sources, tests), []);
});

Deno.test("unmatched finds functions without a test, tests in another domain and tests without a subject", () => {
  const sources = [
    { file: "10_shelf/tables/10_books.sql", text: "create table public.books (\ncreate function private.count_books(" },
    { file: "10_shelf/operations/lend_book.sql", text: "create function public.lend_book(" },
    { file: "20_desk/operations/return_book.sql", text: "create or replace function public.return_book(" },
  ];
  const tests = ["10_shelf/books", "10_shelf/count_books", "10_shelf/lend_book", "20_desk/policies", "20_desk/books"];
  const files = (names: string[]) => names.map((name) => `${name}.test.sql`);
  deepEqual(unmatched(sources, files([...tests, "20_desk/return_book"])), []);
  deepEqual(unmatched(sources, files([...tests, "10_shelf/return_book", "20_desk/sell_book"])), [
    "20_desk/return_book.test.sql is missing",
    "20_desk/sell_book.test.sql has no subject",
  ]);
});
