/** npm run db:check: fails with what is wrong when migrations, types or advisors disagree with sql/. */
import { checkDatabase } from "../database/check.ts";
import { sourcesIn } from "../database/sources.ts";
import { runCommand } from "./run_command.ts";

await runCommand(async () => {
  const findings = await checkDatabase(sourcesIn());
  if (findings.length) {
    console.error(findings.join("\n\n"));
    return 1;
  }
  console.log("The migrations lead to what sql/ says, types/database.ts is current, and the advisors have no warning.");
});
