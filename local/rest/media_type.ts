// The form of the response, chosen by the Accept header.
import { RequestError } from "./errors.ts";

export interface MediaType {
  form: "array" | "object" | "csv";
  /** `;nulls=stripped` omits null members. */
  stripsNulls: boolean;
  contentType: string;
}

const json: MediaType = { form: "array", stripsNulls: false, contentType: "application/json; charset=utf-8" };
const csv: MediaType = { form: "csv", stripsNulls: false, contentType: "text/csv; charset=utf-8" };

export function negotiate(accept: string | null): MediaType {
  if (!accept) return json;
  const types = accept.split(",").map(parse);
  types.sort((a, b) => b.quality - a.quality);
  for (const { name, parameters } of types) {
    if (name === "*/*" || name === "application/*" || name === "application/json") return json;
    if (name === "text/csv") return csv;
    const vendored = /^application\/vnd\.pgrst\.(object|array)(\+json)?$/.exec(name);
    if (!vendored) continue;
    const form = vendored[1] as "object" | "array", stripsNulls = parameters.includes("nulls=stripped");
    if (form === "array" && !stripsNulls) return json;
    const contentType = `application/vnd.pgrst.${form}+json${stripsNulls ? ";nulls=stripped" : ""}; charset=utf-8`;
    return { form, stripsNulls, contentType };
  }
  throw new RequestError(406, {
    code: "PGRST107",
    message: `None of these media types are available: ${accept}`,
  });
}

function parse(type: string) {
  const [name, ...parameters] = type.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="));
  return { name, parameters, quality: quality ? Number(quality.slice(2)) || 0 : 1 };
}
