import { env } from "./env.ts";

/**
 * The IP address of a request's client, for rate limits. Each proxy appends the address that connected to it, so the
 * trusted proxies wrote the last `proxies` entries; a client can send any entry before them.
 */
export function clientAddress(request: Request, proxies = env.trustedProxyHops): string {
  const hops = request.headers.get("x-forwarded-for")?.split(",") ?? [];
  return hops[Math.max(0, hops.length - proxies)]?.trim().slice(0, 64) || "unknown";
}
