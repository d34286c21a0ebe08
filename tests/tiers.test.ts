import { deepStrictEqual as deepEqual, ok } from "node:assert";
import { sourcePaths } from "./source_files.ts";
import { FAULT_TESTS, FULL_FILES, FULL_FOLDERS, isIn, isTest, LONG_TESTS, longestFirst } from "./tiers.ts";

const files = sourcePaths("tests").filter(isTest);
const beginnings = [...FULL_FOLDERS.map((folder) => `${folder}/`), ...FULL_FILES];

Deno.test("npm test runs every test except FAULT_TESTS and races with samples, which only test:faults runs", () => {
  const others = files.filter((file) => !isIn("full", file) && !FAULT_TESTS.includes(file));
  deepEqual(others.filter((file) => !file.startsWith("tests/races/")), []);
  ok(others.includes("tests/races/images.test.ts") && !others.includes("tests/races/people.test.ts"));
  deepEqual(FAULT_TESTS.filter((file) => !isIn("faults", file) || isIn("quick", file)), []);
});

Deno.test("test:faults repeats deterministic races, and the tests that scale.ts samples", () => {
  const repeated = ["tests/races/people.test.ts", "tests/feed_reader/fuzz.test.ts"];
  for (const file of repeated) ok(isIn("faults", file) && isIn("full", file), file);
  for (const file of ["tests/http/api/people.test.ts", "tests/text/initials.test.ts"]) ok(!isIn("faults", file), file);
});

Deno.test("test:quick runs all pgTAP tests, and the reachability and the bodies of every route", () => {
  deepEqual(files.filter((file) => file.endsWith(".sql") && !isIn("quick", file)), []);
  for (const file of ["tests/http/openapi.test.ts", "tests/http/strict_bodies.test.ts"]) ok(isIn("quick", file), file);
});

Deno.test("test:quick runs no test below FULL_FOLDERS, or whose path begins with one of FULL_FILES", () => {
  for (const beginning of beginnings) {
    const others = files.filter((file) => file.startsWith(beginning));
    ok(others.length, `${beginning} matches no test`);
    deepEqual(others.filter((file) => isIn("quick", file)), []);
  }
});

Deno.test("each entry of the lists of slow, long and fault tests names a test that no other entry names", () => {
  for (const list of [FAULT_TESTS, LONG_TESTS]) {
    deepEqual(list.filter((file, n) => !files.includes(file) || list.indexOf(file) < n), []);
  }
  deepEqual(beginnings.filter((one, n) => beginnings.some((other, m) => n !== m && one.startsWith(other))), []);
});

Deno.test("longestFirst moves the long tests to the front and keeps the order of the others", () => {
  const long = LONG_TESTS[1];
  deepEqual(longestFirst(["tests/b.test.ts", "tests/a.test.ts", long]), [long, "tests/b.test.ts", "tests/a.test.ts"]);
});
