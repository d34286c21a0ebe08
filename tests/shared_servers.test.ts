import { deepStrictEqual as deepEqual } from "node:assert";
import { importsBelow } from "./shape/imports.ts";
import { sharedServersOf } from "./shared_servers.ts";

const imports = importsBelow("tests");

Deno.test("sharedServersOf finds the stack and the databases that a helper imports, and none for tests of rooms", () => {
  const text = "tests/feed_writer/xml.test.ts", route = "tests/http/api/people.test.ts";
  const race = "tests/races/people.test.ts";
  deepEqual(sharedServersOf([text], imports), { stack: false, cluster: false, databases: false });
  deepEqual(sharedServersOf([text, route], imports), { stack: true, cluster: true, databases: false });
  deepEqual(sharedServersOf([race], imports), { stack: false, cluster: true, databases: true });
});
