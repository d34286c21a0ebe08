/** npm run release:check: fails with each reason why the migrations since the last release cannot be deployed. */
import { explain } from "../../local/host/startup_error.ts";
import { checkRelease } from "./check_release.ts";

const findings = await checkRelease().catch((error) => [explain(error) ?? error]);
for (const finding of findings) console.error(finding);
Deno.exit(findings.length ? 1 : 0);
