/** npm run db:check: fails with each finding if migrations, types or advisors disagree with sql/. */
import { checkDatabase } from "../database/check.ts";
import { lastRelease, NO_RELEASE } from "../database/release.ts";
import { projectPaths } from "../host/project.ts";
import { runCommand } from "./run_command.ts";

await runCommand(async () => {
  const paths = projectPaths(), release = await lastRelease(paths);
  const findings = await checkDatabase(paths);
  if (findings.length) {
    console.error(findings.join("\n\n"));
    return 1;
  }
  console.log("OK: migrations match sql/, types/ is up to date, no advisor warnings.");
  console.log(release ? `The last release is ${release.tag}.` : NO_RELEASE);
});
