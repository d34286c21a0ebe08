// Validates and converts input as the service's JSON schemas do: a number may arrive as text, one item as an array.
import { StorageError } from "./errors.ts";

export interface Schema {
  type: "string" | "integer" | "boolean" | "array" | "object";
  nullable?: boolean;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  /** Checks an object before its properties. Throws invalid. */
  check?: (value: Record<string, unknown>) => void;
  /** Replaces the rules above, for schemas with alternatives. */
  convert?: (value: unknown, path: string) => unknown;
}

export const string: Schema = { type: "string" };
export const boolean: Schema = { type: "boolean" };
export const integer = (minimum: number, maximum?: number): Schema => ({ type: "integer", minimum, maximum });
export const oneOf = (...values: string[]): Schema => ({ type: "string", enum: values });
export const array = (items: Schema, bounds: Partial<Schema> = {}): Schema => ({ type: "array", items, ...bounds });
export const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: "object",
  properties,
  required,
});

/** The error of the service's validation. */
export const invalid = (message: string) => new StorageError(400, "InvalidRequest", message, "Error");

/** Returns the converted value; unknown properties stay. `path` is "body" or "querystring". Throws invalid. */
export function validate(schema: Schema, input: unknown, path: string): unknown {
  if (schema.convert) return schema.convert(input, path);
  const value = coerce(schema, input);
  if (value === null && schema.nullable) return null;
  if (!isOfType(schema.type, value)) {
    throw invalid(`${path} must be ${schema.nullable ? `${schema.type},null` : schema.type}`);
  }
  if (typeof value === "number") requireBounds(schema, value, path);
  if (schema.enum && !schema.enum.includes(value as string)) {
    throw invalid(`${path} must be equal to one of the allowed values`);
  }
  if (Array.isArray(value)) return validateItems(schema, value, path);
  schema.check?.(value as Record<string, unknown>);
  return schema.properties ? validateProperties(schema, value as Record<string, unknown>, path) : value;
}

function requireBounds({ minimum = -Infinity, maximum = Infinity }: Schema, value: number, path: string) {
  if (!Number.isFinite(value)) throw invalid(`${path} must pass "finite" keyword validation`);
  if (value < minimum) throw invalid(`${path} must be >= ${minimum}`);
  if (value > maximum) throw invalid(`${path} must be <= ${maximum}`);
}

function validateItems({ items, minItems = 0, maxItems = Infinity }: Schema, value: unknown[], path: string) {
  if (value.length > maxItems) throw invalid(`${path} must NOT have more than ${maxItems} items`);
  if (value.length < minItems) throw invalid(`${path} must NOT have fewer than ${minItems} items`);
  return value.map((item, index) => validate(items!, item, `${path}/${index}`));
}

function validateProperties({ properties, required = [] }: Schema, value: Record<string, unknown>, path: string) {
  const missing = required.find((name) => value[name] === undefined);
  if (missing) throw invalid(`${path} must have required property '${missing}'`);
  const entries = Object.entries(properties!).filter(([name]) => value[name] !== undefined);
  return {
    ...value,
    ...Object.fromEntries(entries.map(([name, schema]) => [name, validate(schema, value[name], `${path}/${name}`)])),
  };
}

function isOfType(type: Schema["type"], value: unknown): boolean {
  if (type === "integer") return typeof value === "number" && (Number.isInteger(value) || !isFinite(value));
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return type === "string" ? typeof value === "string" : typeof value === "boolean";
}

/** Returns a value of the type if there is a lossless one, else the input. */
export function coerce({ type, nullable }: Pick<Schema, "type" | "nullable">, input: unknown): unknown {
  if (isOfType(type, input) || input === null && nullable) return input;
  const isSingle = Array.isArray(input) && input.length === 1;
  const value = isSingle && type !== "array" && type !== "object" ? input[0] : input;
  if (isOfType(type, value)) return value;
  switch (type) {
    case "string":
      if (value === null) return "";
      return typeof value === "number" || typeof value === "boolean" ? String(value) : input;
    case "integer":
      if (nullable && value === "") return null;
      if (value === null || typeof value === "boolean") return Number(value);
      return typeof value === "string" && value && isOfType("integer", Number(value)) && !Number.isNaN(Number(value))
        ? Number(value)
        : input;
    case "boolean":
      if (value === "false" || value === 0 || value === null) return false;
      return value === "true" || value === 1 ? true : input;
    case "array":
      return typeof value === "object" && value !== null ? input : [value];
    default:
      return input;
  }
}
