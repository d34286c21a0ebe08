// readTap on TAP that passes and fails, and Perl's prove on the same TAP.
import { deepStrictEqual as same } from "node:assert";
import { join } from "node:path";
import { readTap } from "./tap.ts";
import { folderOfFile } from "./temporary_folder.ts";

const cases: [title: string, output: string, failures: string[]][] = [
  ["tests and a plan after them", "ok 1 - one\nok 2 - two\n1..2", []],
  ["a plan before its tests", "1..2\nok 1 - one\nok 2", []],
  ["tests without numbers", "ok - one\nok\n1..2", []],
  ["a failed test", "ok 1\nnot ok 2 - two\n# Failed test 2: two\n1..2\n# Looks like you failed 1 test of 2", ["two"]],
  ["a failed test that is marked TODO", "not ok 1 - one # TODO later\n1..1", []],
  ["a failed test whose description has an escaped #", "not ok 1 - one \\# TODO\n1..1", ["one \\# TODO"]],
  ["rows that are not TAP", "f\n 1..7\nokay\n42|ok 1\nok 1 - one|\n1..1", []],
  ["a description with other line breaks", "ok 1 - a\u2028b\r\nok 2\n1..2", []],
  ["no plan", "ok 1 - one", ["the file has no plan"]],
  ["no output", "", ["the file has no plan"]],
  ["two plans", "1..1\nok 1 - one\n1..1", ["the file has 2 plans"]],
  ["a plan between tests", "ok 1 - one\n1..2\nok 2 - two", ["the plan is between the tests"]],
  ["fewer tests than planned", "ok 1 - one\n1..2", ["the file plans 2 tests and prints 1"]],
  ["more tests than planned", "1..1\nok 1\nok 2", ["the file plans 1 tests and prints 2"]],
  ["a value that begins with ok", "ok 1 - one\nok 1\nok 2 - two\n1..2", [
    "test 2 has the number 1",
    "the file plans 2 tests and prints 3",
  ]],
  ["two tests in a row", "ok 1 - one|ok 2 - two\nok 3 - three\n1..3", [
    "test 2 has the number 3",
    "the file plans 3 tests and prints 2",
  ]],
];

Deno.test("readTap reports failed tests, tests out of order and wrong plans", () => {
  for (const [title, output, failures] of cases) {
    same(readTap(output).failures.map((failure) => failure.title), failures, title);
  }
});

Deno.test("readTap counts passed tests and returns the diagnostics of failed ones", () => {
  same(readTap("ok 1 - one\nnot ok 2 - two\n# Failed test 2: two\n#         have: 1\n#         want: 2\nok 3\n1..3"), {
    passed: 2,
    failures: [{ title: "two", diagnostics: "     have: 1\n     want: 2\n" }],
  });
});

Deno.test("readTap expects no plan of a file that an error ended", () => {
  same(readTap("ok 1 - one", { endsEarly: true }), { passed: 1, failures: [] });
});

const hasProve = await new Deno.Command("prove", { args: ["--version"], stdout: "null", stderr: "null" }).output()
  .then(({ success }) => success, () => false);

Deno.test({
  name: "readTap and prove reject the same TAP",
  ignore: !hasProve,
  async fn() {
    const folder = await folderOfFile("castbase-tap-");
    for (const [number, [, output]] of cases.entries()) {
      await Deno.writeTextFile(join(folder, `${number}.tap`), output);
    }
    const files = cases.map((_, number) => join(folder, `${number}.tap`));
    const { stdout } = await new Deno.Command("prove", { args: ["--exec", "cat", ...files], stderr: "null" })
      .output();
    const report = new TextDecoder().decode(stdout);
    same(
      cases.filter((_, number) => new RegExp(`/${number}\\.tap \\.+ ok$`, "m").test(report)).map(([title]) => title),
      cases.filter(([, , failures]) => !failures.length).map(([title]) => title),
      report,
    );
  },
});
