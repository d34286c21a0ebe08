// The pgTAP runner on files with passing and failing tests.
import { deepStrictEqual as same } from "node:assert";
import { dirname, join } from "node:path";
import { describeResult, runPgtap } from "./pgtap.ts";
import { folderOfFile } from "./temporary_folder.ts";

const sources = {
  folder: "",
  sql: join(import.meta.dirname!, "local/database/project/sql"),
  migrations: "",
  types: "",
  serviceFunctions: "",
  constraintMessages: "",
};

async function run(files: Record<string, string>, only: string[] = []) {
  const tests = await folderOfFile("castbase-tests-");
  for (const [file, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(tests, file)), { recursive: true });
    const lines = file.startsWith("000_setup/") ? text : `begin; select no_plan(); ${text}\n;${CLOSING}`;
    await Deno.writeTextFile(join(tests, file), lines);
  }
  return await runPgtap({ sources, tests, fromSql: true, only: only.map((path) => join(tests, path)) });
}

const CLOSING = "reset role; select * from finish(); rollback;";

const factory = `create extension pgtap with schema extensions;
  create schema tests;
  create function tests.author(name text) returns text language sql as
  $$ insert into public.authors (name) values (author.name) returning name $$;
  select unnest(array['1..1', 'ok 1']);`;

Deno.test("each pgTAP file finds the factories and no row of another file", async () => {
  const file =
    "select tests.author('Ada'); select is((select count(*) from public.authors), 1::bigint, 'Ada is alone');";
  const files = Array.from({ length: 8 }, (_, number) => [`10_shelf/author_${number}.test.sql`, file]);
  const { passed, failed } = await run({ "000_setup/10_factories.sql": factory, ...Object.fromEntries(files) });
  same({ passed, failed }, { passed: 8, failed: 0 });
});

Deno.test("the pgTAP runner reports a failed test, a failed file and a file without tests by file", async () => {
  const result = await run({
    "000_setup/10_factories.sql": factory,
    "10_shelf/wrong.test.sql": "select is(1, 2, 'one is two'); select ok(true, 'the next test still runs');",
    "10_shelf/dying.test.sql": "select ok(true, 'so far');\n\nselect tests.nothing();\nselect ok(true, 'never');",
    "10_shelf/silent.test.sql": "select 1;",
    "10_shelf/as_a_role.test.sql": "set local role anon; select ok(current_user = 'anon', 'anon may run tests');",
  });
  result.failures.sort((one, other) => one.file.localeCompare(other.file));
  same({ ...result, failures: result.failures.map(({ diagnostics: _, ...failure }) => failure) }, {
    files: 4,
    passed: 3,
    failed: 3,
    failures: [
      { file: "10_shelf/dying.test.sql", title: "the file ended after 1 test" },
      { file: "10_shelf/silent.test.sql", title: "the file has no tests" },
      { file: "10_shelf/wrong.test.sql", title: "one is two" },
    ],
  });
  same(
    describeResult(result).split("\n").filter((line) => /have|want|42883|at line/.test(line)).map((line) =>
      line.trim()
    ),
    [
      "42883 function tests.nothing() does not exist",
      "at line 3",
      "have: 1",
      "want: 2",
    ],
  );
});

Deno.test("a path runs the files below it and no others", async () => {
  const files = {
    "000_setup/10_factories.sql": factory,
    "10_a/one.test.sql": "select ok(true);",
    "10_ab/two.test.sql": "select ok(false);",
  };
  const { files: ran, failed } = await run(files, ["10_a"]);
  same({ ran, failed }, { ran: 1, failed: 0 });
});

Deno.test("the pgTAP runner rejects what pg_prove rejects: values that begin with ok, and several tests per row", async () => {
  const { failures } = await run({
    "000_setup/10_factories.sql": factory,
    "10_a/stray_ok.test.sql": "select ok(true, 'one'); select 'ok 1'; select ok(true, 'two');",
    "10_a/two_columns.test.sql": "select ok(true, 'one'), ok(true, 'two');",
    "10_a/void_column.test.sql": "select ok(true, 'one'), pg_notify('x', ''), null;",
  });
  failures.sort((one, other) => one.file.localeCompare(other.file));
  same(failures.map(({ file, title }) => `${file}: ${title}`), [
    "10_a/stray_ok.test.sql: test 2 has the number 1",
    "10_a/stray_ok.test.sql: the file plans 2 tests and prints 3",
    "10_a/two_columns.test.sql: the file plans 2 tests and prints 1",
  ]);
});

Deno.test("the pgTAP runner rejects a setup file without a plan and runs no test on it", async () => {
  const result = await run({
    "000_setup/10_factories.sql": factory,
    "000_setup/20_roles.sql": "create function tests.one() returns int language sql as 'select 1'",
    "10_a/one.test.sql": "select ok(true, 'one');",
  });
  same(result, {
    files: 1,
    passed: 0,
    failed: 1,
    failures: [{ file: "000_setup/20_roles.sql", title: "the file has no plan", diagnostics: "" }],
  });
});
