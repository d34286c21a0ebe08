// The body of a write or call, as JSON text for Postgres.
import { Buffer } from "node:buffer";
import { isNestedDeeper, MAX_DEPTH } from "../wire/json.ts";
import { RequestError } from "./errors.ts";

export interface Payload {
  /** JSON, or the text of a raw body. */
  text: string;
  /** The keys of its objects. */
  keys: string[];
  isObject: boolean;
}

/** The media types of raw bodies, and the type of the one unnamed parameter that takes them. */
export const rawTypes = new Map([["text/plain", "text"], ["text/xml", "xml"], ["application/octet-stream", "bytea"]]);

export const bodyType = (request: Request) =>
  (request.headers.get("content-type") ?? "application/json").split(";")[0].trim().toLowerCase();

export async function readPayload(request: Request, isCall: boolean, columns?: string[]): Promise<Payload> {
  const type = bodyType(request);
  if (isCall && type === "application/octet-stream") {
    return raw(`\\x${Buffer.from(await request.arrayBuffer()).toString("hex")}`);
  }
  const text = await request.text();
  if (isCall && rawTypes.has(type)) return raw(text);
  if (type === "application/x-www-form-urlencoded") return fromObject(Object.fromEntries(formPairs(text)));
  if (type === "text/csv") return fromCsv(text);
  if (type !== "application/json") throw invalid(`Content-Type not acceptable: ${type}`);
  if (isCall && text === "") return fromObject({});
  return fromJson(text, columns);
}

const raw = (text: string): Payload => ({ text, keys: [], isObject: false });

function fromJson(text: string, columns?: string[]): Payload {
  const value = parse(text);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (columns) return { text, keys: [...new Set(columns)], isObject };
  if (isObject) return { text, keys: Object.keys(value), isObject };
  if (!Array.isArray(value) || !value.length) return { text: "[]", keys: [], isObject };
  const keysOf = (row: unknown) =>
    typeof row === "object" && row !== null && !Array.isArray(row) ? Object.keys(row).sort() : undefined;
  const keys = keysOf(value[0]);
  const isUniform = keys && value.every((row) => keysOf(row)?.join("\0") === keys.join("\0"));
  if (!isUniform) throw invalid("All object keys must match");
  return { text, keys, isObject };
}

function parse(text: string): unknown {
  if (isNestedDeeper(text)) throw invalid("Empty or invalid json", `At most ${MAX_DEPTH} levels are allowed`);
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("Empty or invalid json");
  }
}

/** Limits of this stack: a field of two bytes takes a hundred in memory. */
const MAX_FORM_FIELDS = 10_000, MAX_CSV_FIELDS = 1_000_000;

/** The names and values of a form. */
export function formPairs(text: string): [string, string][] {
  if (text.split("&", MAX_FORM_FIELDS + 1).length > MAX_FORM_FIELDS) throw tooMany(MAX_FORM_FIELDS);
  return [...new URLSearchParams(text)];
}

const fromObject = (value: Record<string, string>): Payload => ({
  text: JSON.stringify(value),
  keys: Object.keys(value),
  isObject: true,
});

/** JSON repeats the names of a CSV body in each row. */
const MAX_REPEATED_LENGTH = 64 * 2 ** 20;

/** Parses CSV. The first line names the columns; NULL is null, also in quotes. Further fields are ignored. */
function fromCsv(text: string): Payload {
  const [header, ...lines] = [...csvLines(text)].filter((line) => line.length > 1 || line[0] !== "");
  if (!header) throw invalid('parse error (not enough input) at ""');
  const names = header.slice(0, lines[0]?.length);
  if (lines.some((line) => Math.min(line.length, header.length) !== names.length)) {
    throw invalid("All lines must have same number of fields");
  }
  if (names.join("").length * lines.length > MAX_REPEATED_LENGTH) {
    throw invalid("The names of the columns are too long for this number of lines");
  }
  const rows = lines.map((line) =>
    Object.fromEntries(names.map((name, i) => [name, line[i] === "NULL" ? null : line[i]]))
  );
  return { text: JSON.stringify(rows), keys: rows.length ? names : [], isObject: false };
}

function* csvLines(text: string): Generator<string[]> {
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  let line: string[] = [];
  for (let count = 1; field.lastIndex < text.length; count++) {
    if (count > MAX_CSV_FIELDS) throw tooMany(MAX_CSV_FIELDS);
    const found = field.exec(text);
    if (!found) throw invalid("Invalid csv");
    line.push(found[1]?.replaceAll('""', '"') ?? found[2]);
    if (found[3] === ",") continue;
    yield line;
    line = [];
  }
  if (line.length) yield [...line, ""]; // the text ends with a comma
}

const invalid = (message: string, details?: string) => new RequestError(400, { code: "PGRST102", message, details });
const tooMany = (fields: number) => invalid(`At most ${fields} fields are allowed in a body of this type`);
