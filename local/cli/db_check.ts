/** npm run db:check: fails with what is wrong when migrations, types or advisors disagree with sql/. */
import { checkDatabase } from "../database/check.ts";
import { sourcesIn } from "../database/sources.ts";

const findings = await checkDatabase(sourcesIn());
if (findings.length) {
  console.error(findings.join("\n\n"));
  Deno.exit(1);
}
console.log("The migrations lead to what sql/ says, types/database.ts is current, and the advisors have no warning.");
