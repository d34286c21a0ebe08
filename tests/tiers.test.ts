import { deepStrictEqual as deepEqual, ok } from "node:assert";
import { sourcePaths } from "./source_files.ts";
import { FAULT_TESTS, isIn, isTest, LONG_TESTS, longestFirst, SLOW_FILES, SLOW_FOLDERS, tierOf } from "./tiers.ts";

const files = sourcePaths("tests").filter(isTest);

Deno.test("npm test runs each test but those of test:faults, and test:quick a part of them", () => {
  const full = files.filter((file) => isIn("full", file)), quick = files.filter((file) => isIn("quick", file));
  deepEqual(files.filter((file) => !full.includes(file)), files.filter((file) => FAULT_TESTS.includes(file)));
  deepEqual(quick.filter((file) => !full.includes(file)), []);
  deepEqual(files.filter((file) => tierOf(file) === "faults" && !isIn("faults", file)), []);
});

Deno.test("test:quick runs all pgTAP tests, and the reachability and the bodies of every route", () => {
  deepEqual(files.filter((file) => file.endsWith(".sql") && tierOf(file) !== "quick"), []);
  for (const file of ["tests/http/openapi.test.ts", "tests/http/strict_bodies.test.ts"]) ok(isIn("quick", file), file);
});

Deno.test("each entry of the lists of slow, long and fault tests names a test that no other entry names", () => {
  deepEqual([...FAULT_TESTS, ...LONG_TESTS].filter((file) => !files.includes(file)), []);
  const beginnings = [...SLOW_FOLDERS.map((folder) => `${folder}/`), ...SLOW_FILES];
  deepEqual(beginnings.filter((beginning) => !files.some((file) => file.startsWith(beginning))), []);
  deepEqual(beginnings.filter((one) => beginnings.some((other) => one !== other && one.startsWith(other))), []);
});

Deno.test("longestFirst moves the long tests to the front and keeps the order of the others", () => {
  const long = LONG_TESTS[1];
  deepEqual(longestFirst(["tests/b.test.ts", "tests/a.test.ts", long]), [long, "tests/b.test.ts", "tests/a.test.ts"]);
});
