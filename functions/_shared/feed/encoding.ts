/** Content negotiation (RFC 9110, 12.5.3): may this client have gzip, and does it like it at least as well as plain? */
export function prefersGzip(acceptEncoding: string | undefined): boolean {
  const weights = new Map<string, number>();
  for (const entry of acceptEncoding?.toLowerCase().split(",") ?? []) {
    const [coding, ...parameters] = entry.split(";").map((each) => each.trim());
    const q = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(coding, q ? Number(q.slice(2)) || 0 : 1);
  }
  const gzip = weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0;
  return gzip > 0 && gzip >= (weights.get("identity") ?? 0);
}
