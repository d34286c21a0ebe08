// The results of a pgTAP file.

export interface Failure {
  /** The description of the assertion, or the file's error. */
  claim: string;
  diagnostics: string;
}

export interface Report {
  passed: number;
  failures: Failure[];
}

/** Reads TAP lines. Assertions marked TODO may fail; the closing summary is ignored. */
export function readTap(output: string[]): Report {
  let passed = 0;
  const failures: Failure[] = [];
  let failing: Failure | undefined;
  for (const line of output.flatMap((row) => row.split("\n"))) {
    const claim = /^(not )?ok \d+(?: - )?(.*)$/.exec(line);
    if (claim) {
      failing = undefined;
      const [, not, words] = claim;
      if (!not || / # TODO\b/i.test(words)) passed++;
      else failures.push(failing = { claim: words || "(a claim without words)", diagnostics: "" });
    } else if (line.startsWith("#") && failing && !/^# (Failed test \d+|Looks like you)/.test(line)) {
      failing.diagnostics += line.replace(/^#( {1,4})?/, "") + "\n";
    }
  }
  return { passed, failures };
}
