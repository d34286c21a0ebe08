/** Numeric character references of XML and HTML. */
import { isForbidden } from "./control.ts";

const WINDOWS_1252 = new TextDecoder("windows-1252");

/** Numbers from 128 to 159 mean windows-1252, as in HTML. Undefined for characters that XML does not allow. */
export function decodeCharacterReference(decimal: string | undefined, hex: string | undefined): string | undefined {
  const code = decimal ? Number(decimal) : parseInt(hex!, 16);
  if (code > 0x10ffff || code >= 0xd800 && code < 0xe000 || isForbidden(code)) return;
  return code >= 0x80 && code < 0xa0 ? WINDOWS_1252.decode(Uint8Array.of(code)) : String.fromCodePoint(code);
}
