import { env } from "../runtime/env.ts";

/**
 * The IP address of a request's client, for rate limits. Each proxy appends the address that connected to it, so the
 * trusted proxies wrote the last `proxies` entries; a client can send any entry before them.
 */
export function clientAddress(request: Request, proxies = env.TRUSTED_PROXY_HOPS): string {
  const hops = request.headers.get("x-forwarded-for")?.split(",") ?? [];
  return hops[Math.max(0, hops.length - proxies)]?.trim().slice(0, 64) || "unknown";
}

/** The client's address; for IPv6 its network of 64 bits, in which a client has any number of addresses. */
export function clientNetwork(request: Request): string {
  const address = clientAddress(request);
  if (!address.includes(":") || !URL.canParse(`http://[${address}]`)) return address;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  if (canonical.startsWith("::ffff:")) return address; // IPv4
  const [front, back] = canonical.split("::").map((part) => part.split(":").filter(Boolean));
  const groups = back ? [...front, ...Array(8 - front.length - back.length).fill("0"), ...back] : front;
  return `${groups.slice(0, 4).join(":")}::/64`;
}
