/** From a host to the addresses that may be called. What is checked here is what is connected to, and nothing else. */
import { type IpAddress, isPublic, parseIp } from "./ip_address.ts";
import type { Deadline } from "./deadline.ts";
import { FetchError } from "./fetch_error.ts";
import type { Target } from "./target.ts";

/** All addresses of a name, IPv4 and IPv6; it throws, or has none, when the name is unknown. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<string[]>;

/**
 * The runtime's resolver, which exists on the platform too. It reads /etc/hosts and /etc/resolv.conf; names with an
 * underscore inside of a label are unknown to it. One family that has no answer is not a failure.
 */
export const resolveName: Resolve = async (name, signal) => {
  const asked = (["A", "AAAA"] as const).map((type) => Deno.resolveDns(name, type, { signal }));
  const answers = await Promise.allSettled(asked);
  const addresses = answers.flatMap((answer) => answer.status === "fulfilled" ? answer.value : []);
  if (addresses.length) return addresses;
  throw new AggregateError(answers.map((answer) => answer.status === "rejected" && answer.reason));
};

/** The target's addresses, IPv4 first, since not every machine has a route for IPv6. One that is not public blocks all. */
export async function resolveTarget(target: Target, resolve: Resolve, deadline: Deadline): Promise<IpAddress[]> {
  const literal = parseIp(target.host);
  const addresses = literal ? [literal] : await lookUp(target.host, resolve, deadline);
  if (!target.isListed && !addresses.every(isPublic)) {
    throw new FetchError("BLOCKED_URL", "The address is not on the public internet");
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
    if (!address) throw hostNotFoundError(name, `the resolver answered ${text}`);
    return address;
  });
}

const hostNotFoundError = (name: string, cause?: unknown) =>
  new FetchError("FETCH_FAILED", `The host ${name} could not be found`, { cause });
