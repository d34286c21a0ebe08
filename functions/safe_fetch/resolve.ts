/** Resolves a host to IP addresses and checks them. Connections use exactly these addresses. */
import { type IpAddress, isPublic, parseIp } from "./ip_address.ts";
import type { Deadline } from "./deadline.ts";
import { FetchError } from "./fetch_error.ts";
import type { Target } from "./target.ts";

/** Returns all IPv4 and IPv6 addresses of a name; throws, or returns none, for an unknown name. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<string[]>;

/**
 * The runtime's resolver, which the platform has too. It reads /etc/hosts and /etc/resolv.conf, and does not resolve
 * names with an underscore within a label. One family may be without addresses.
 */
export const resolveName: Resolve = async (name, signal) => {
  const queries = (["A", "AAAA"] as const).map((type) => Deno.resolveDns(name, type, { signal }));
  const results = await Promise.allSettled(queries);
  const addresses = results.flatMap((result) => result.status === "fulfilled" ? result.value : []);
  if (addresses.length) return addresses;
  const reasons = results.flatMap((result) => result.status === "rejected" ? [result.reason] : []);
  throw new AggregateError(reasons, reasons.join("; "));
};

/**
 * Returns the target's addresses, IPv4 first, because some machines have no IPv6 route. One private address blocks all.
 */
export async function resolveTarget(target: Target, resolve: Resolve, deadline: Deadline): Promise<IpAddress[]> {
  const literal = parseIp(target.host);
  const addresses = literal ? [literal] : await lookUp(target.host, resolve, deadline);
  if (!target.isListed && !addresses.every(isPublic)) {
    throw new FetchError("BLOCKED_URL", "The URL does not point to the public internet");
  }
  return addresses.sort((one, other) => one.family - other.family);
}

async function lookUp(name: string, resolve: Resolve, deadline: Deadline): Promise<IpAddress[]> {
  let texts: string[];
  try {
    texts = await deadline.race(resolve(name, deadline.signal));
  } catch (cause) {
    deadline.signal.throwIfAborted();
    throw hostNotFoundError(name, cause);
  }
  if (!texts.length) throw hostNotFoundError(name);
  return texts.map((text) => {
    const address = parseIp(text);
    if (!address) throw hostNotFoundError(name, `the resolver returned ${text}`);
    return address;
  });
}

const hostNotFoundError = (name: string, cause?: unknown) =>
  new FetchError("FETCH_FAILED", `Host ${name} was not found`, { cause });
