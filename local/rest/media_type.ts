// The form of the response, chosen by the Accept header.
import { RequestError } from "./errors.ts";
import type { MediaHandler } from "./media_handlers.ts";
import type { Name } from "./sql.ts";

export interface MediaType {
  form: "array" | "object" | "csv" | "geojson" | "custom";
  /** `;nulls=stripped` omits null members. */
  stripsNulls: boolean;
  contentType: string;
  /** The function that creates a body of the form `custom`. */
  handler?: MediaHandler;
  /** The options of EXPLAIN, if the response is the query plan. */
  plan?: string[];
}

/** A type of the Accept header. `name` has the parameters that matter. */
interface Accepted {
  name: string;
  form?: "array" | "object";
  stripsNulls: boolean;
  plan?: { of: Accepted; options: string[] };
}

interface Producible {
  table: Name;
  handlers: MediaHandler[];
  /** Handlers of one table need its whole rows. */
  selectsAll: boolean;
  allowsPlans: boolean;
}

const charsets = new Set([
  "application/json",
  "application/geo+json",
  "application/openapi+json",
  "application/x-www-form-urlencoded",
  "text/csv",
  "text/plain",
  "text/xml",
]);
const planOptions = ["analyze", "verbose", "settings", "buffers", "wal"];

export function negotiate(accept: string | null, producible: Producible): MediaType {
  const accepted = parseAccept(accept);
  for (const type of accepted) {
    const found = produce(type, producible);
    if (found) return found;
  }
  throw new RequestError(406, {
    code: "PGRST107",
    message: `None of these media types are available: ${accepted.map(({ name }) => name).join(", ")}`,
  });
}

function produce({ name, form, stripsNulls, plan }: Accepted, producible: Producible): MediaType | undefined {
  if (plan) {
    const of = producible.allowsPlans ? produce(plan.of, producible) : undefined;
    return of && { ...of, contentType: `${name}; charset=utf-8`, plan: plan.options };
  }
  if (form) return { form, stripsNulls, contentType: `${name}; charset=utf-8` };
  const handler = findHandler(name, producible);
  if (handler) return { form: "custom", stripsNulls, contentType: contentTypeOf(handler.contentType), handler };
  const builtIn =
    ({ "*/*": "array", "application/json": "array", "text/csv": "csv", "application/geo+json": "geojson" })[
      name
    ] as MediaType["form"] | undefined;
  return builtIn &&
    { form: builtIn, stripsNulls, contentType: contentTypeOf(name === "*/*" ? "application/json" : name) };
}

function findHandler(name: string, { table, handlers, selectsAll }: Producible): MediaHandler | undefined {
  const isOfTable = ({ target }: MediaHandler) => target?.name === table.name && target.schema === table.schema;
  const own = selectsAll ? handlers.filter(isOfTable) : [];
  return own.find(({ mediaType }) => mediaType === "*/*") ?? own.find(({ mediaType }) => mediaType === name) ??
    handlers.find(({ mediaType, target }) => !target && mediaType === name);
}

const contentTypeOf = (name: string) => charsets.has(name) ? `${name}; charset=utf-8` : name;

/** By quality, then by the number of parameters. */
function parseAccept(accept: string | null): Accepted[] {
  const types = (accept ?? "*/*").replaceAll(" ", "").split(",").map((text) => {
    const at = text.indexOf(";q=");
    const type = at < 0 ? text : text.slice(0, at);
    const quality = at < 0 ? NaN : parseFloat(text.slice(at + 3));
    const weight = type.split(";").length - type.split("*").length;
    return { type, quality: Number.isNaN(quality) ? 1 : quality, weight };
  });
  types.sort((a, b) => b.quality - a.quality || b.weight - a.weight);
  return types.map(({ type }) => parseType(type));
}

const typePattern = /^([a-z\d.*]+\/[a-z\d.*+-]+)((?:;[a-z\d-]+=(?:"[^"]*"|[a-z\d|-]+))*)/i;

function parseType(text: string): Accepted {
  const [, type = text, parameters = ""] = typePattern.exec(text) ?? [];
  const name = type.toLowerCase();
  const values = new Map(
    [...parameters.matchAll(/;([^=]+)=("[^"]*"|[^;]*)/g)].map(([, key, value]) => [
      key.toLowerCase(),
      value.replace(/^"|"$/g, ""),
    ]),
  );
  const stripsNulls = values.get("nulls") === "stripped";
  const vendored = /^application\/vnd\.pgrst\.(?:(object|array)(?:\+json)?|plan(?:\+(json|text))?)$/.exec(name);
  if (!vendored) {
    return { name: charsets.has(name) || name === "application/octet-stream" ? name : text, stripsNulls: false };
  }
  const form = vendored[1] as Accepted["form"];
  if (form === "array" && !stripsNulls) return { name: "application/json", stripsNulls };
  if (form) {
    return { name: `application/vnd.pgrst.${form}+json${stripsNulls ? ";nulls=stripped" : ""}`, form, stripsNulls };
  }
  const format = vendored[2] ?? "text";
  const options = planOptions.filter((option) => values.get("options")?.split("|").includes(option));
  const of = parseType(values.get("for") ?? "application/json");
  return {
    name: `application/vnd.pgrst.plan+${format}; for="${of.name}"` +
      (options.length ? `; options=${options.join("|")}` : ""),
    stripsNulls: false,
    plan: { of, options: [`FORMAT ${format}`, ...options].map((option) => option.toUpperCase()) },
  };
}
