// What a pgTAP file said, claim by claim.

export interface Failure {
  /** The claim's own words, or what became of the file. */
  claim: string;
  diagnostics: string;
}

export interface Report {
  passed: number;
  failures: Failure[];
}

/** Reads TAP lines; a claim marked TODO may fail, and the closing summary says nothing new. */
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
