const UNITS: Record<string, number> = { ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 0.001, s: 1, m: 60, h: 3600 };

/** Parses a duration of Go, such as `1s` or `1h30m`, into seconds. Throws SyntaxError in the words of Go. */
export function seconds(duration: string): number {
  const [, sign, parts] = /^([+-]?)(.*)$/s.exec(duration)!;
  if (parts === "0") return 0;
  const stop = (what: string): never => {
    throw new SyntaxError(`time: ${what} duration ${JSON.stringify(duration)}`);
  };
  if (!/^((\d+\.?\d*|\.\d+)[^\d.]*)+$/.test(parts)) return stop("invalid");
  let sum = 0;
  for (const [, number, unit] of parts.matchAll(/([\d.]+)([^\d.]*)/g)) {
    if (!unit) return stop("missing unit in");
    sum += Number(number) * (UNITS[unit] ?? stop(`unknown unit ${JSON.stringify(unit)} in`));
  }
  return sign === "-" ? -sum : sum;
}
