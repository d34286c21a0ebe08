/**
 * npm run doctor [-- --remote URL] [--json]: looks at an installation and says what is wrong. Exits with 0 if nothing is,
 * with 1 after a problem, and with 2 if it could not look. MONITORING_SECRET in the environment lets it ask the functions
 * about their variables and providers.
 */
import { type Finding, InstallationReport } from "../../types/health.ts";
import { judge, worstOf } from "../../functions/installation/findings.ts";
import { openInstallation, readCommandLine, stop } from "../installation.ts";
import { checkClock, checkMigrations } from "./checkout_checks.ts";
import { checkUrls } from "./url_checks.ts";
import { askFunctions } from "./function_checks.ts";

const commandLine = readCommandLine(Deno.args);
const isJson = commandLine.args.includes("--json");
const unknown = commandLine.args.filter((arg) => arg !== "--json");
if (unknown.length > 0) stop(`Unknown argument: ${unknown[0]}. npm run doctor [-- --remote postgresql://… --json]`);

await using installation = await openInstallation(commandLine);
const findings = await examine();
if (isJson) console.log(JSON.stringify({ status: worstOf(findings), findings }, null, 2));
else print(findings);
Deno.exitCode = worstOf(findings) === "problem" ? 1 : 0;

async function examine(): Promise<Finding[]> {
  const { sql, isLocal } = installation;
  let report: InstallationReport;
  try {
    const [{ found }] = await sql`select private.get_installation_report() as found`;
    report = InstallationReport.parse(found);
  } catch (error) {
    return [describeFailure(error as Error & { code?: string })];
  }
  const ofDatabase = judge(report);
  const ofFunctions = await askFunctions(report, isLocal);
  return [
    checkMigrations(report),
    ...ofDatabase.filter(({ check }) => !ofFunctions.some((other) => other.check === check)),
    checkClock(report),
    ...await checkUrls(report),
    ...ofFunctions,
  ];
}

function describeFailure({ code, message }: Error & { code?: string }): Finding {
  const isUnknown = code === "42883" || code === "3F000";
  return {
    check: "database",
    level: "problem",
    message: isUnknown ? "The database has no private.get_installation_report" : `${installation.host}: ${message}`,
    remedy: isUnknown
      ? "Push the migrations: npm run deploy"
      : "Check the URL, the password and the network; the database may have no connection left",
  };
}

function print(findings: readonly Finding[]) {
  const width = Math.max(...findings.map(({ check }) => check.length));
  for (const { check, level, message, remedy } of findings) {
    console.log(`${level.padEnd(8)} ${check.padEnd(width)}  ${message}${remedy ? `. → ${remedy}` : ""}`);
  }
  const count = (level: string) => findings.filter((one) => one.level === level).length;
  console.log(`${installation.host}: ${count("problem")} problems, ${count("warning")} warnings`);
}
