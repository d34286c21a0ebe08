import { type Language, LANGUAGES } from "../text/languages/texts.ts";

/** Content negotiation (RFC 9110, 12.4): the weight of each value in an Accept header. */
function parseWeights(header = ""): Map<string, number> {
  return new Map(
    header.toLowerCase().split(",").map((entry) => {
      const [value, ...parameters] = entry.split(";").map((each) => each.trim());
      const q = parameters.find((parameter) => parameter.startsWith("q="));
      return [value, q ? Number(q.slice(2)) || 0 : 1];
    }),
  );
}

/** Whether the client accepts gzip and ranks it at least as high as no encoding. */
export function prefersGzip(acceptEncoding: string | undefined): boolean {
  const known = parseWeights(acceptEncoding);
  const gzip = known.get("gzip") ?? known.get("x-gzip") ?? known.get("*") ?? 0;
  return gzip > 0 && gzip >= (known.get("identity") ?? 0);
}

/** Whether the client names HTML, as browsers do for pages, and ranks it at least as high as JSON. */
export function prefersHtml(accept: string | undefined): boolean {
  const known = parseWeights(accept);
  const html = Math.max(known.get("text/html") ?? 0, known.get("application/xhtml+xml") ?? 0);
  return html > 0 && html >= (known.get("application/json") ?? 0);
}

/** The language that the reader prefers among those that have texts: the first of equals, English if none is named. */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const ranked = [...parseWeights(acceptLanguage)].filter(([, weight]) => weight > 0).sort(([, a], [, b]) => b - a);
  for (const [tag] of ranked) {
    const language = LANGUAGES.find((each) => each === tag.split("-")[0]);
    if (language) return language;
  }
  return LANGUAGES[0];
}
