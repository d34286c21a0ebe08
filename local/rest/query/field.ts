// A column, or a value inside a JSON column: `notes->chapters->0->>title`.
import type { Scanner } from "./scanner.ts";

interface JsonStep {
  /** `->>` returns text. */
  isText: boolean;
  key: string;
  isIndex: boolean;
}

export interface Field {
  name: string;
  path: JsonStep[];
}

const indexPattern = /-?\d+(?=->|::|[.,)]|$)/y;
const keyPattern = /[^(\-:.,>)]+(?:-(?!>)[^(\-:.,>)]+)*/y;

export function readField(scanner: Scanner, orElse?: string): Field {
  scanner.skipBlanks();
  const field = { name: scanner.name(orElse), path: readPath(scanner) };
  scanner.skipBlanks();
  return field;
}

export function readPath(scanner: Scanner): JsonStep[] {
  const path: JsonStep[] = [];
  while (scanner.sees("->")) {
    const isText = scanner.skip("->>") || !scanner.skip("->");
    const index = scanner.match(indexPattern)?.[0];
    const key = index ?? scanner.quoted() ?? scanner.match(keyPattern)?.[0].trim();
    if (key === undefined && scanner.skip("-")) scanner.fail("digit");
    if (key === undefined) scanner.fail('"-", digit or any non reserved character different from: .,>()');
    path.push({ isText, key, isIndex: index !== undefined });
  }
  return path;
}

/** The name of a JSON value in the response: its last key. */
export function nameOfPath({ name, path }: Field): string | undefined {
  return path.length ? path.findLast((step) => !step.isIndex)?.key ?? name : undefined;
}
