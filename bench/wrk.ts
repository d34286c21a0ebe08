// Load by wrk (apt-get install wrk): requests per second, and the time within which 99 of 100 were answered.

export interface WrkOptions {
  connections: number;
  seconds: number;
  headers?: string[];
  /** A Lua script that makes the requests, and its environment. */
  script?: string;
  env?: Record<string, string>;
}

export interface WrkResult {
  requests: number;
  requestsPerSecond: number;
  p99Milliseconds: number;
}

/** Throws if a response is an error. */
export async function wrk(url: string, options: WrkOptions): Promise<WrkResult> {
  const { connections, seconds, headers = [], script, env } = options;
  const { stdout } = await new Deno.Command("wrk", {
    args: [
      ...["-t1", "--latency", `-c${connections}`, `-d${seconds}s`],
      ...headers.flatMap((line) => ["-H", line]),
      ...script ? ["-s", script] : [],
      url,
    ],
    env,
  }).output();
  const text = new TextDecoder().decode(stdout);
  if (/Non-2xx or 3xx|read [1-9]|write [1-9]/.test(text)) throw new Error(text);
  const [, time, unit] = /99% +([\d.]+)(us|ms|s)/.exec(text)!;
  return {
    requests: Number(/(\d+) requests in/.exec(text)![1]),
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)![1]),
    p99Milliseconds: Number(time) * { us: 0.001, ms: 1, s: 1000 }[unit]!,
  };
}
