// Which hosts can be on the internet.
import { BlockList, isIP } from "node:net";

/** Names reserved by RFC 2606, RFC 6761 and RFC 6762, and by ICANN for private networks. */
const RESERVED = /(^|\.)(example(\.(com|net|org))?|test|invalid|localhost|local|internal)$/;

/** IPv4 networks of RFC 6890 that the internet does not route. */
const SPECIAL_V4 = listOf("ipv4", [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3"],
]);
const GLOBAL_V6 = listOf("ipv6", ["2000::/3"]);
const DOCUMENTATION_V6 = listOf("ipv6", ["2001:db8::/32", "3fff::/20"]);

/** Whether a host can be on the internet. `isAppUrl` allows a single label, as in an app's own URL scheme. */
export function isPublicHost(host: string, isAppUrl: boolean): boolean {
  if (!host) return isAppUrl;
  const url = `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}`; // normalizes addresses
  if (!URL.canParse(url)) return false;
  const name = new URL(url).hostname.replace(/\.$/, ""), address = name.replace(/^\[|\]$/g, "");
  const family = isIP(address);
  if (family === 4) return !SPECIAL_V4.check(address);
  if (family === 6) return GLOBAL_V6.check(address, "ipv6") && !DOCUMENTATION_V6.check(address, "ipv6");
  return !RESERVED.test(name) && (isAppUrl || name.includes("."));
}

function listOf(family: "ipv4" | "ipv6", networks: string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, prefix] = network.split("/");
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
