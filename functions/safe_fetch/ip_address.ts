/**
 * Public IP addresses: unicast that the whole internet routes. Source: IANA's registries of special-purpose addresses
 * (RFC 6890 and its updates).
 */

export interface IpAddress {
  family: 4 | 6;
  bits: bigint;
  /** The canonical spelling, used to connect. */
  text: string;
}

/** Parses an IP address as resolvers and URLs write it, without brackets. Rejects octal, short and zoned forms. */
export function parseIp(text: string): IpAddress | undefined {
  return /^\d+\.\d+\.\d+\.\d+$/.test(text) ? parseIpv4(text) : parseIpv6(text);
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split(".");
  if (!parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return;
  return { family: 4, bits: joinBits(parts.map(BigInt), 8n), text };
}

/** The URL parser accepts every spelling, including dotted ones, and writes the canonical one. */
function parseIpv6(text: string): IpAddress | undefined {
  if (!/^[\da-f:.]*:[\da-f:.]*$/i.test(text) || !URL.canParse(`http://[${text}]`)) return;
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [front, back] = canonical.split("::").map((part) => part ? part.split(":") : []);
  const groups = back ? [...front, ...Array(8 - front.length - back.length).fill("0"), ...back] : front;
  return { family: 6, bits: joinBits(groups.map((group) => BigInt(`0x${group}`)), 16n), text: canonical };
}

const joinBits = (parts: bigint[], width: bigint) => parts.reduce((sum, part) => sum << width | part, 0n);

interface IpRange {
  prefix: bigint;
  /** The number of bits after the prefix. */
  hostBits: bigint;
}

function parseRange(cidr: string): IpRange {
  const [text, length] = cidr.split("/");
  const { family, bits } = parseIp(text)!;
  const hostBits = BigInt((family === 4 ? 32 : 128) - Number(length));
  return { prefix: bits >> hostBits, hostBits };
}

const isInRange = (bits: bigint, { prefix, hostBits }: IpRange) => bits >> hostBits === prefix;

const NOT_PUBLIC_V4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8",
  "100.64.0.0/10", // carrier-grade NAT
  "127.0.0.0/8",
  "168.63.129.16/32", // Azure's platform services
  "169.254.0.0/16", // link-local: cloud metadata services
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16",
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
].map(parseRange);

const GLOBAL_UNICAST = parseRange("2000::/3");
/** Exceptions within it. Everything outside of it (::1, fc00::/7, fe80::/10, ff00::/8, mapped IPv4 …) is not public. */
const NOT_PUBLIC_V6 = [
  "2001::/23", // protocol assignments: ORCHID, benchmarks, anycast
  "2001:db8::/32", // documentation
  "3fff::/20", // documentation
].map(parseRange);

const TEREDO = parseRange("2001::/32");
const SIX_TO_FOUR = parseRange("2002::/16");
/** 64:ff9b:1::/48 is for local use and hides where its IPv4 address is, so it is not public. */
const NAT64 = parseRange("64:ff9b::/96");

/** Whether an address may be requested. The IPv4 address decides for addresses that embed one. */
export function isPublic({ family, bits }: IpAddress): boolean {
  if (family === 4) return isPublicV4(bits);
  if (isInRange(bits, NAT64)) return isPublicV4(low32(bits));
  if (isInRange(bits, SIX_TO_FOUR)) return isPublicV4(low32(bits >> 80n));
  // Teredo embeds its server, and its client with inverted bits
  if (isInRange(bits, TEREDO)) return isPublicV4(low32(bits >> 64n)) && isPublicV4(low32(~bits));
  return isInRange(bits, GLOBAL_UNICAST) && !NOT_PUBLIC_V6.some((range) => isInRange(bits, range));
}

const isPublicV4 = (bits: bigint) => !NOT_PUBLIC_V4.some((range) => isInRange(bits, range));
const low32 = (bits: bigint) => bits & 0xffffffffn;
