// SQL text and its parameters, which are never mixed.

export interface Sql {
  readonly parts: readonly (string | { readonly value: string | null })[];
}

/** A table, view or function. */
export interface Name {
  /** "" for an alias of the statement. */
  schema: string;
  name: string;
}

/** An interpolated SQL becomes part of the text; a string or null becomes a parameter. */
export function sql(text: TemplateStringsArray, ...inserted: (Sql | string | null)[]): Sql {
  const parts = text.flatMap((part, i) => i < inserted.length ? [part, ...partsOf(inserted[i])] : [part]);
  return { parts };
}

const partsOf = (inserted: Sql | string | null) =>
  inserted !== null && typeof inserted === "object" ? inserted.parts : [{ value: inserted }];

export const nothing = sql``;

/** Marks text of this folder or of the catalog as SQL, never text of a request. */
export const trusted = (text: string): Sql => ({ parts: [text] });

export function join(list: Sql[], separator = ", "): Sql {
  return { parts: list.flatMap((item, i) => i ? [separator, ...item.parts] : item.parts) };
}

/** Quotes every identifier: an argument may be called `limit`, a column `order`. A NUL would end the statement. */
export const identifier = (name: string): Sql => trusted(`"${name.replaceAll("\0", "").replaceAll('"', '""')}"`);

export const qualified = ({ schema, name }: Name): Sql =>
  schema ? sql`${identifier(schema)}.${identifier(name)}` : identifier(name);

export const column = (of: Name, name: string): Sql =>
  name === "*" ? sql`${qualified(of)}.*` : sql`${qualified(of)}.${identifier(name)}`;

/** Formats an array for a parameter whose type the statement decides. */
export const arrayLiteral = (values: string[]): string =>
  `{${values.map((value) => `"${value.replace(/[\\"]/g, "\\$&")}"`).join(",")}}`;

/** The form of the driver. */
export function statement({ parts }: Sql): { text: string; values: (string | null)[] } {
  const values: (string | null)[] = [];
  const text = parts.map((part) => typeof part === "string" ? part : `$${values.push(part.value)}`).join("");
  return { text, values };
}
