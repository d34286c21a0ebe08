/**
 * Which IP addresses are public: unicast that the whole internet routes. Source: IANA's registries of special-purpose
 * addresses (RFC 6890 and what was added since).
 */

export interface IpAddress {
  family: 4 | 6;
  bits: bigint;
  /** The canonical spelling, which is the one to connect to. */
  text: string;
}

/** An IP address as resolvers and URLs write it, without brackets. Octal, short and zoned forms are none. */
export function parseIp(text: string): IpAddress | undefined {
  return /^\d+\.\d+\.\d+\.\d+$/.test(text) ? parseIpv4(text) : parseIpv6(text);
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split(".");
  if (!parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return;
  return { family: 4, bits: joinBits(parts.map(BigInt), 8n), text };
}

/** The URL parser knows every spelling, the dotted ones too, and writes one. */
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
  /** How many bits of an address do not count. */
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
  "100.64.0.0/10", // carriers' own
  "127.0.0.0/8",
  "168.63.129.16/32", // Azure's own services, on each of its machines
  "169.254.0.0/16", // link-local: clouds serve their secrets here
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // relays of 6to4
  "192.168.0.0/16",
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast at its end
].map(parseRange);

const GLOBAL_UNICAST = parseRange("2000::/3");
/** Of it. Whatever lies outside of it (::1, fc00::/7, fe80::/10, ff00::/8, mapped and compatible IPv4 …) is not public. */
const NOT_PUBLIC_V6 = [
  "2001::/23", // protocols': ORCHID, benchmarks, anycast
  "2001:db8::/32", // documentation
  "3fff::/20", // documentation
].map(parseRange);

const TEREDO = parseRange("2001::/32");
const SIX_TO_FOUR = parseRange("2002::/16");
/** Its sibling 64:ff9b:1::/48 is a network's own, and says nowhere which bits are the IPv4 address: not public. */
const NAT64 = parseRange("64:ff9b::/96");

/** Whether an address may be called. One that leads to an IPv4 address is judged by that. */
export function isPublic({ family, bits }: IpAddress): boolean {
  if (family === 4) return isPublicV4(bits);
  if (isInRange(bits, NAT64)) return isPublicV4(low32(bits));
  if (isInRange(bits, SIX_TO_FOUR)) return isPublicV4(low32(bits >> 80n));
  // Its server, and its client with every bit turned over
  if (isInRange(bits, TEREDO)) return isPublicV4(low32(bits >> 64n)) && isPublicV4(low32(~bits));
  return isInRange(bits, GLOBAL_UNICAST) && !NOT_PUBLIC_V6.some((range) => isInRange(bits, range));
}

const isPublicV4 = (bits: bigint) => !NOT_PUBLIC_V4.some((range) => isInRange(bits, range));
const low32 = (bits: bigint) => bits & 0xffffffffn;
