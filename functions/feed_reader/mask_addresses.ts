/** Finds and masks email addresses, so that the owner's address of a foreign feed is not shown to others. */

/** The at sign, as it is or as in a URL. */
const AT = /@|%40/g;
/** Letters of any script are part of a name; `@` before the name makes it an account of a social network. */
const LOCAL = /(?<![\w@.%+-])[\w.%+\-\u0080-\uffff]{1,64}$/;
const DOMAIN =
  /^(?:[a-z0-9\u0080-\uffff](?:[a-z0-9\u0080-\uffff-]{0,61}[a-z0-9\u0080-\uffff])?\.){1,8}[a-z\u0080-\uffff]{2,24}/i;
/** `cover@2x.png` is a file. */
const FILE = /\.(?:png|jpe?g|gif|webp|svg)$/i;

interface Found {
  start: number;
  end: number;
  address: string;
}

/** In characters: parts of an address around its at sign. */
const [MAX_LOCAL_CHARS, MAX_DOMAIN_CHARS] = [64, 254];

/** The next address at or after an offset. */
function addressFrom(text: string, from: number): Found | undefined {
  AT.lastIndex = from;
  for (let at = AT.exec(text); at; at = AT.exec(text)) {
    const [sign] = at, after = at.index + sign.length;
    const before = text.slice(Math.max(from, at.index - MAX_LOCAL_CHARS - 1), at.index);
    const [local] = LOCAL.exec(before) ?? [];
    const [domain] = local && DOMAIN.exec(text.slice(after, after + MAX_DOMAIN_CHARS)) || [];
    if (!local || !domain || FILE.test(domain)) continue;
    return { start: at.index - local.length, end: after + domain.length, address: `${local}@${domain}`.toLowerCase() };
  }
}

const hasSign = (text: string) => text.includes("@") || text.includes("%40");

/** The first address, in lower case. */
export const findAddress = (text: string): string | undefined =>
  hasSign(text) ? addressFrom(text, 0)?.address : undefined;

/** All addresses, in lower case. */
export function listAddresses(text: string): string[] {
  const found: string[] = [];
  for (let next = addressFrom(text, 0); next; next = addressFrom(text, next.end)) found.push(next.address);
  return found;
}

/** Masks addresses as private.mask_email does: `j***@e***.com`. */
export function maskAddresses(text: string): string {
  if (!hasSign(text)) return text;
  let masked = "";
  let done = 0;
  for (let next = addressFrom(text, 0); next; next = addressFrom(text, next.end)) {
    const [local, domain] = next.address.split("@");
    masked += `${text.slice(done, next.start)}${first(local)}***@${first(domain)}***${domain.replace(/^.*\./, ".")}`;
    done = next.end;
  }
  return masked + text.slice(done);
}

/** The first character, which may be a surrogate pair. */
const first = (text: string) => [...text.slice(0, 2)][0];
