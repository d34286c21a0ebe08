/** npm run db:check: fails with each finding if migrations, types or advisors disagree with sql/. */
import { checkDatabase } from "../database/check.ts";
import { projectPaths } from "../host/project.ts";
import { runCommand } from "./run_command.ts";

await runCommand(async () => {
  const findings = await checkDatabase(projectPaths());
  if (findings.length) {
    console.error(findings.join("\n\n"));
    return 1;
  }
  console.log("OK: migrations match sql/, types/ is up to date, no advisor warnings.");
});
