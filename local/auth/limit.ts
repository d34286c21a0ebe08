/** Counts events per key within the last `windowSeconds`, in memory. */
export function createLimit(windowSeconds: number) {
  const times = new Map<string, number[]>();
  const recent = (key: string) => (times.get(key) ?? []).filter((at) => at > Date.now() - windowSeconds * 1000);
  return {
    count: (key: string) => recent(key).length,
    add: (key: string) => void times.set(key, [...recent(key), Date.now()]),
  };
}
