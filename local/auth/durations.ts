const UNITS: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600 };

/** Parses a duration of Go, such as `1s` or `1h30m`, into seconds; undefined if malformed. */
export function seconds(duration: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(duration)) return undefined;
  return [...duration.matchAll(/([\d.]+)(ms|s|m|h)/g)].reduce((sum, [, n, unit]) => sum + Number(n) * UNITS[unit], 0);
}
