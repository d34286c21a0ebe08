// The pgTAP files as `supabase test db` runs them: by pg_prove, one after another, against a stack with the demo's data.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { startTestStack } from "../stack.ts";

const hasPgProve = await runPgProve(["--version"]).then(({ success }) => success, () => false);
const install = "pg_prove does not run: apt-get install libtap-parser-sourcehandler-pgtap-perl postgresql-client";

Deno.test({
  name: "each pgTAP file passes under pg_prove against a running stack, twice" + (hasPgProve ? "" : ` (${install})`),
  ignore: !hasPgProve,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using stack = await startTestStack();
    for (let round = 0; round < 2; round++) {
      const { stdout, stderr } = await runPgProve(
        ["-r", "--ext", ".sql", "--quiet", "-d", stack.dbUrl, join(repository, "tests/sql")],
      );
      const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assert.match(output, /^Result: PASS$/m, output.slice(-10_000));
    }
  },
});

/** Rejects if there is no pg_prove. */
async function runPgProve(args: string[]) {
  return await new Deno.Command("pg_prove", { args }).output();
}
