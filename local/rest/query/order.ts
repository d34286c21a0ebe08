// `order=`: columns of the table, or of a table on the one side of a relationship.
import { type Field, readField } from "./field.ts";
import { Scanner } from "./scanner.ts";

export interface OrderTerm {
  field: Field;
  /** `order=podcasts(title)`: a column of the embedded table. */
  relation?: string;
  direction?: "ASC" | "DESC";
  nulls?: "NULLS FIRST" | "NULLS LAST";
}

export function parseOrder(text: string): OrderTerm[] {
  const scanner = new Scanner(text, "order");
  return scanner.list(() => {
    scanner.skipBlanks();
    const relation = readRelation(scanner);
    const field = readField(scanner);
    if (relation) scanner.expect(")");
    const direction = scanner.match(/\.(asc|desc)/y)?.[1].toUpperCase() as OrderTerm["direction"];
    const nulls = scanner.match(/\.nulls(first|last)/y)?.[1].toUpperCase();
    if (!scanner.isAtEnd && !scanner.sees(",")) {
      scanner.fail(nulls ? '"," or end of input' : '"asc", "desc", "nullsfirst", "nullslast", "," or end of input');
    }
    return { relation, field, direction, nulls: nulls && `NULLS ${nulls}` as OrderTerm["nulls"] } as OrderTerm;
  });
}

function readRelation(scanner: Scanner): string | undefined {
  const start = scanner.at;
  const name = scanner.optionalName();
  if (name && scanner.skip("(")) return name;
  scanner.at = start;
}
