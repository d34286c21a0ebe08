// `select=`: columns, and related tables with their own columns.
import { type Field, nameOfPath, readField } from "./field.ts";
import { Scanner } from "./scanner.ts";

export interface SelectedField {
  kind: "field";
  field: Field;
  cast?: string;
  alias?: string;
  aggregate?: Aggregate;
  /** `...table(count())` counts its rows. */
  isWholeRow?: boolean;
  /** The function that represents the column as JSON. */
  format?: string;
}

export interface Aggregate {
  name: "sum" | "avg" | "count" | "max" | "min";
  /** The type of the result. */
  cast?: string;
}

export interface SelectedRelation {
  kind: "relation";
  name: string;
  alias?: string;
  hint?: string;
  isInner: boolean;
  /** `...name(…)`: the columns become members of the outer row. */
  isSpread: boolean;
  select: SelectItem[];
}

export type SelectItem = SelectedField | SelectedRelation;

const castPattern = /::([\p{L}\p{Nd}_ ]+)/yu;
const aggregatePattern = /\.(sum|avg|count|max|min)\(\)/y;

export function parseSelect(text: string): SelectItem[] {
  const scanner = new Scanner(text, "select parameter");
  return readItems(scanner); // PostgREST ignores a rest after a parenthesis
}

function readItems(scanner: Scanner): SelectItem[] {
  if (scanner.isAtEnd || scanner.sees(")")) return [];
  return scanner.list(() => {
    scanner.skipBlanks();
    const start = scanner.at;
    const relation = readRelation(scanner);
    if (!relation) scanner.at = start;
    const item = relation ?? readSelectedField(scanner);
    scanner.skipBlanks();
    return item;
  });
}

function readRelation(scanner: Scanner): SelectedRelation | undefined {
  const isSpread = scanner.skip("...");
  const alias = isSpread ? undefined : readAlias(scanner);
  const name = scanner.optionalName();
  if (!name || name === "count") return;
  let hint: string | undefined, isInner = false;
  for (let i = 0; i < 2 && scanner.skip("!"); i++) {
    const given = scanner.name();
    if (given === "inner") isInner = true;
    else if (given !== "left") hint ??= given;
  }
  if (!scanner.skip("(")) return;
  const select = scanner.nested(() => readItems(scanner));
  scanner.expect(")");
  return { kind: "relation", name, alias, hint, isInner, isSpread, select };
}

function readSelectedField(scanner: Scanner): SelectedField {
  if (scanner.skip("*")) return { kind: "field", field: { name: "*", path: [] } };
  const alias = readAlias(scanner);
  const item = scanner.skip("count()")
    ? { field: { name: "*", path: [] }, aggregate: { name: "count" as const, cast: readCast(scanner) } }
    : { field: readField(scanner), cast: readCast(scanner), aggregate: readAggregate(scanner) };
  if (!scanner.isAtEnd && !scanner.sees(",") && !scanner.sees(")")) {
    scanner.fail('"->", "::", ".", ")", "," or end of input');
  }
  return { kind: "field", ...item, alias: alias ?? (item.aggregate ? undefined : nameOfPath(item.field)) };
}

const readCast = (scanner: Scanner) => scanner.match(castPattern)?.[1].trim();

function readAggregate(scanner: Scanner): Aggregate | undefined {
  const name = scanner.match(aggregatePattern)?.[1] as Aggregate["name"] | undefined;
  return name && { name, cast: readCast(scanner) };
}

function readAlias(scanner: Scanner): string | undefined {
  const start = scanner.at;
  const alias = scanner.optionalName();
  if (alias && scanner.sees(":") && !scanner.sees("::")) {
    scanner.expect(":");
    return alias;
  }
  scanner.at = start;
}
