/** Finds the changes of a JSON schema that break clients of a versioned interface. */

/** The keywords that the OpenAPI documents use. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  default?: unknown;
}

/** Others could break clients without a line, so that a schema with one is an error. */
const KNOWN_KEYWORDS = new Set(
  ["$ref", "type", "anyOf", "oneOf", "const", "enum", "format", "pattern", "minimum", "maximum", "minLength"].concat(
    ["maxLength", "minItems", "maxItems", "items", "properties", "required", "additionalProperties", "default"],
    ["title", "description", "examples", "deprecated"], // which change no value
  ),
);

/** Formats that only describe text: generated clients have no type for them. */
const DESCRIPTIVE_FORMATS = new Set(["cursor", "language-tag", "time-zone"]);

export type Schemas = Record<string, Schema>;

/** A schema and the components to which it refers. */
interface Located {
  schema: Schema;
  components: Schemas;
}

/** Whether the server sends the value, or the client. */
type Direction = "response" | "request";

/** A schema of one type; without a type it accepts everything. */
type Alternative = Schema & { type?: string };

/**
 * Returns what breaks clients, a line each. What the server sends must keep to the schema before, and what clients sent
 * must still be accepted. `at` names the value.
 */
export function findSchemaBreaks(before: Located, after: Located, direction: Direction, at: string): string[] {
  const comparing = new Set<string>(); // schemas may refer to themselves

  function compare(before: Schema, after: Schema, at: string): string[] {
    const pair = `${before.$ref} ${after.$ref}`;
    if (!before.$ref || !after.$ref) return compareUnions(before, after, at);
    if (comparing.has(pair)) return [];
    comparing.add(pair);
    const breaks = compareUnions(before, after, at);
    comparing.delete(pair);
    return breaks;
  }

  function compareUnions(before: Schema, after: Schema, at: string): string[] {
    const was = alternativesOf(before), is = alternativesOf(after, false);
    // every value of the first must be one of the second
    const [values, accepted] = direction === "response" ? [is, was] : [was, is];
    return values.flatMap((value) => {
      const candidates = accepted.filter((one) => accepts(one, value));
      if (!candidates.length) {
        const type = value.type ?? "of any type";
        return [direction === "response" ? `${at} may be ${type}` : `${at} may no longer be ${type}`];
      }
      const found = candidates.map((one) =>
        direction === "response" ? compareAlternatives(one, value, at) : compareAlternatives(value, one, at)
      );
      return found.reduce((least, breaks) => breaks.length < least.length ? breaks : least);
    });
  }

  function alternativesOf(schema: Schema, isBefore = true): Alternative[] {
    const unknown = Object.keys(schema).filter((keyword) => !KNOWN_KEYWORDS.has(keyword));
    if (unknown.length) throw new Error(`${at}: teach schema_breaks.ts to compare ${unknown}`);
    const { $ref, type, anyOf, oneOf, ...rest } = schema;
    if (DESCRIPTIVE_FORMATS.has(rest.format ?? "")) delete rest.format;
    if ($ref) {
      const name = $ref.slice("#/components/schemas/".length);
      return alternativesOf((isBefore ? beforeComponents : afterComponents)[name] ?? {}, isBefore);
    }
    const union = anyOf ?? oneOf;
    if (union) return union.flatMap((one) => alternativesOf(one, isBefore));
    if ("const" in rest) rest.enum = [rest.const];
    if (Array.isArray(type)) return type.map((one) => ({ ...rest, type: one }));
    if (type || !rest.enum) return [{ ...rest, type }];
    const byType = Object.groupBy(rest.enum, (value) => value === null ? "null" : typeof value);
    return Object.entries(byType).map(([type, values]) => ({ ...rest, type, enum: values }));
  }

  function compareAlternatives(before: Alternative, after: Alternative, at: string): string[] {
    const [value, accepted] = direction === "response" ? [after, before] : [before, after];
    const breaks: string[] = [];
    if (accepted.enum) {
      const strays = value.enum?.filter((one) => !accepted.enum!.includes(one)).map((one) => JSON.stringify(one)) ??
        ["another value"];
      for (const stray of strays) {
        breaks.push(direction === "response" ? `${at} may be ${stray}` : `${at} may no longer be ${stray}`);
      }
    }
    for (const keyword of ["format", "pattern"] as const) {
      if (accepted[keyword] && accepted[keyword] !== value[keyword]) {
        breaks.push(`${at} has the ${keyword} ${after[keyword]}, not ${before[keyword]}`);
      }
    }
    if (direction === "request") {
      breaks.push(...tighterBounds(before, after).map((bound) => `${at} has another ${bound}`));
    }
    if (before.items) breaks.push(...compare(before.items, after.items ?? {}, `${at}[]`));
    return [...breaks, ...compareMembers(before, after, at)];
  }

  function compareMembers(before: Schema, after: Schema, at: string): string[] {
    const breaks: string[] = [];
    for (const [name, schema] of Object.entries(before.properties ?? {})) {
      const now = after.properties?.[name];
      breaks.push(...now ? compare(schema, now, `${at}.${name}`) : [`${at}.${name} is removed`]);
    }
    const [optional, required] = direction === "response" ? [after, before] : [before, after];
    for (const name of required.required ?? []) {
      if (optional.required?.includes(name) || direction === "response" && !after.properties?.[name]) continue;
      breaks.push(`${at}.${name} is ${direction === "response" ? "no longer always there" : "now required"}`);
    }
    const { additionalProperties: others } = before, { additionalProperties: othersNow } = after;
    if (others && !othersNow) breaks.push(`${at} has no other members`);
    if (isSchema(others) && isSchema(othersNow)) breaks.push(...compare(others, othersNow, `${at}.*`));
    return breaks;
  }

  const { components: beforeComponents } = before, { components: afterComponents } = after;
  return [...new Set(compare(before.schema, after.schema, at))];
}

/** Whether a value of the second type is one of the first. */
const accepts = (one: Alternative, value: Alternative) =>
  !one.type || one.type === value.type || one.type === "number" && value.type === "integer";

const isSchema = (value: Schema | boolean | undefined): value is Schema => typeof value === "object";

function tighterBounds(before: Schema, after: Schema): string[] {
  const lower = ["minimum", "minLength", "minItems"] as const, upper = ["maximum", "maxLength", "maxItems"] as const;
  return [
    ...lower.filter((bound) => (after[bound] ?? -Infinity) > (before[bound] ?? -Infinity)),
    ...upper.filter((bound) => (after[bound] ?? Infinity) < (before[bound] ?? Infinity)),
  ];
}
