// The results of a pgTAP file, read as pg_prove reads them.

export interface Failure {
  /** The description of the test, or what is wrong with the file. */
  title: string;
  diagnostics: string;
}

export interface Report {
  passed: number;
  failures: Failure[];
}

const TEST = /^(not )?ok\b\s*(\d+)?\s*(?:- )?(.*)$/s;
const TODO = /(?<!\\)#\s*TODO\b/i;
const PLAN = /^1\.\.(\d+)\s*$/;
const DIAGNOSTIC = /^#(?! Failed test \d| Looks like you)( {1,4})?/;

/**
 * Reads TAP by the rules of Perl's TAP::Parser: one plan, before or after the tests, and tests numbered in order. Every
 * line that begins with "ok" is a test. With `endsEarly`, an error ended the output before its plan.
 */
export function readTap(output: string, { endsEarly = false } = {}): Report {
  const report: Report = { passed: 0, failures: [] };
  const plans: { planned: number; after: number }[] = [];
  let tests = 0;
  let outOfOrder: Failure | undefined;
  let failing: Failure | undefined;
  const fail = (title: string, diagnostics = "") => report.failures.push({ title, diagnostics });

  for (const line of output.split("\n")) {
    const test = TEST.exec(line);
    const plan = PLAN.exec(line);
    if (test) {
      const [, not, number, description] = test;
      tests++;
      failing = undefined;
      if (!not || TODO.test(description)) report.passed++;
      else report.failures.push(failing = { title: description || "(a test without a description)", diagnostics: "" });
      if (number && Number(number) !== tests) {
        outOfOrder ??= { title: `test ${tests} has the number ${number}`, diagnostics: `${OUT_OF_ORDER}\n${line}` };
      }
    } else if (plan) plans.push({ planned: Number(plan[1]), after: tests });
    else if (failing && DIAGNOSTIC.test(line)) failing.diagnostics += line.replace(DIAGNOSTIC, "") + "\n";
  }

  if (outOfOrder) report.failures.push(outOfOrder);
  if (plans.length > 1) fail(`the file has ${plans.length} plans`);
  for (const { planned, after } of plans.slice(0, 1)) {
    if (planned !== tests) fail(`the file plans ${planned} tests and prints ${tests}`);
    else if (after > 0 && after < tests) fail("the plan is between the tests");
  }
  if (!plans.length && !endsEarly) fail("the file has no plan");
  return report;
}

const OUT_OF_ORDER = 'A row has two tests, or a select outside of a test prints a line that begins with "ok":';
