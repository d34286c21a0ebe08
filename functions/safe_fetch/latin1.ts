/** The heads of HTTP messages are bytes; each character of ours is one of them (TextDecoder's latin1 is windows-1252). */

export function decodeLatin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

/** Characters beyond U+00FF are not expected here: URLs are ASCII, and Headers refuses them. */
export function encodeLatin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** What was meant by a value that may be UTF-8, as a Location is that was never encoded. */
export function latin1ToUtf8(latin1: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(encodeLatin1(latin1));
  } catch {
    return latin1;
  }
}
