/** Whether these bytes have the letters of a signature at this offset. */
export function isTagged(bytes: Uint8Array, at: number, tag: string): boolean {
  if (at + tag.length > bytes.length) return false;
  for (let n = 0; n < tag.length; n++) if (bytes[at + n] !== tag.charCodeAt(n)) return false;
  return true;
}
