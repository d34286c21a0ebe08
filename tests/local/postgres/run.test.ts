// Programs that the stack runs.
import { rejects } from "node:assert";
import { run } from "../../../local/postgres/run.ts";

Deno.test("run passes the environment to a program and sets the locale C", async () => {
  await run("sh", ["-c", '[ "$GIVEN" = yes ] && [ "$LC_ALL" = C ]'], { env: { GIVEN: "yes" } });
  await rejects(run("sh", ["-c", "echo broken >&2; exit 1"]), { message: "sh failed: broken" });
});
