// Programs that the stack runs to their end.
import { rejects } from "node:assert";
import { run } from "../../local/postgres/run.ts";

Deno.test("A program gets the environment that it is given, and complains in English", async () => {
  await run("sh", ["-c", '[ "$GIVEN" = yes ] && [ "$LC_ALL" = C ]'], { env: { GIVEN: "yes" } });
  await rejects(run("sh", ["-c", "echo broken >&2; exit 1"]), { message: "sh failed: broken" });
});
