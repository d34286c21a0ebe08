import { Failure } from "./failure.ts";

const LINE = /^(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^"'\s#]\S*)?)\s*(?:#.*)?$/;

/** Parses lines `NAME=value`. Empty lines and those that begin with # are skipped; a value with spaces needs quotes. */
export function parseEnvFile(text: string, file: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, name, double, single, plain = ""] = LINE.exec(line.trim()) ?? [];
    if (!name) throw new Failure(`${file}, line ${i + 1}: write NAME=value, with quotes if the value has spaces.`);
    variables[name] = double ?? single ?? plain;
  }
  return variables;
}
