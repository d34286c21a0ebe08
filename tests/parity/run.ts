// npm run parity: runs the scenarios of this folder against any Supabase project and prints the differences.
import { XMLParser } from "fast-xml-parser";
import { dirname, join, relative, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { repository } from "../../local/host/project.ts";
import { sourcePaths } from "../source_files.ts";
import { MISSING, readTarget, type Target, USAGE } from "./target.ts";

interface Outcome {
  /** The service and the test's title. */
  scenario: string;
  /** The failed assertion; undefined if the target behaves as expected. */
  difference?: string;
}

let options: ReturnType<typeof readTarget>;
try {
  options = readTarget(Deno.args);
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`);
  Deno.exit(2);
}

const files = sourcePaths("tests/parity").filter((path) => path.endsWith(".test.ts") && isChosen(path));
if (!files.length) {
  console.error("No scenario is below these paths.");
  Deno.exit(2);
}
const outcomes = await runScenarios(files, options.target);
const isMissing = ({ difference }: Outcome) => difference?.includes(MISSING) ?? false;
const differing = outcomes.filter((outcome) => outcome.difference !== undefined && !isMissing(outcome));
for (const { scenario, difference } of differing) console.log(`different: ${scenario}\n${indent(difference!)}\n`);
const missing = Map.groupBy(
  outcomes.filter(isMissing),
  ({ difference }) => difference!.split(MISSING)[1].split(".\n")[0],
);
for (const [option, { length }] of missing) console.log(`not run: ${length} scenarios, which need ${option}`);
if (differing.some(({ difference }) => difference!.includes("over_request_rate_limit"))) {
  console.log("The target limits this client. Wait, or raise its limits ([auth.rate_limit] in config.toml).");
}
const counts = [outcomes.length - differing.length - sum(missing), differing.length, sum(missing)];
console.log(`${counts[0]} as expected, ${counts[1]} different, ${counts[2]} not run`);
Deno.exit(differing.length || !counts[0] ? 1 : 0);

function isChosen(path: string): boolean {
  const file = join(repository, path);
  return !options.paths.length ||
    options.paths.some((chosen) => file === resolve(chosen) || file.startsWith(`${resolve(chosen)}/`));
}

/** Throws if a file of scenarios cannot be loaded. */
async function runScenarios(files: string[], target: Target): Promise<Outcome[]> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "--allow-all", "--no-check", "--parallel", "--reporter=junit", ...files],
    cwd: repository,
    env: { CASTBASE_TEST_STACK: JSON.stringify(target), DENO_JOBS: "4", NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const report = stripVTControlCharacters(new TextDecoder().decode(stdout)), start = report.indexOf("<?xml");
  if (start < 0) throw new Error(`The scenarios did not run.\n${new TextDecoder().decode(stderr)}`);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
    isArray: (name) => name === "testsuite" || name === "testcase",
    processEntities: { enabled: true, maxTotalExpansions: 1_000_000 },
  });
  const { testsuites } = parser.parse(report.slice(start)) as Report;
  return testsuites.testsuite.flatMap(({ name, testcase = [] }) =>
    testcase.map(({ name: title, failure }) => ({
      scenario: `${dirname(relative("tests/parity", name.replace(/^\.\//, "")))}: ${title}`,
      difference: failure && describeFailure(failure["#text"]),
    }))
  );
}

interface Report {
  testsuites: {
    testsuite: { name: string; testcase?: { name: string; failure?: { "#text": string } }[] }[];
  };
}

/** The assertion's message, and the line that failed. */
function describeFailure(text: string): string {
  const [message] = text.split(/\n +at /, 1);
  const place = /file:\/\/\S*\/(tests\/parity\/\S+:\d+):\d+/.exec(text)?.[1];
  return message.replace(/\n{2,}/g, "\n") + (place ? `\nat ${place}` : "");
}
function indent(text: string): string {
  return text.split("\n").map((line) => `    ${line}`).join("\n");
}
function sum(groups: Map<string, Outcome[]>): number {
  return [...groups.values()].reduce((total, { length }) => total + length, 0);
}
