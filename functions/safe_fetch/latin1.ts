/** Latin-1, one byte per character, for the heads of HTTP messages (TextDecoder's latin1 is windows-1252). */

export function decodeLatin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

/** Characters beyond U+00FF do not occur: URLs are ASCII, and Headers rejects them. */
export function encodeLatin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Decodes a value that may be UTF-8, such as an unencoded Location. */
export function latin1ToUtf8(latin1: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(encodeLatin1(latin1));
  } catch {
    return latin1;
  }
}
