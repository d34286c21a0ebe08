/** Control characters except tab and line ends: XML 1.0 cannot carry them, and Postgres rejects NUL. */
// deno-lint-ignore no-control-regex -- the characters to find
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g;

export const isForbidden = (code: number) => code < 32 && code !== 9 && code !== 10 && code !== 13;

export function stripControls(text: string, onRemoved: () => void): string {
  const without = text.replace(FORBIDDEN, "");
  if (without.length < text.length) onRemoved();
  return without;
}

/** Whether UTF-8 contains one. Tests four bytes at a time, which takes a fraction of a search's time. */
export function hasControls(utf8: Uint8Array): boolean {
  if (utf8.length < 8) return isAnyForbidden(utf8, 0, utf8.length);
  const lead = -utf8.byteOffset & 3;
  const words = new Uint32Array(utf8.buffer, utf8.byteOffset + lead, (utf8.length - lead) >> 2);
  if (isAnyForbidden(utf8, 0, lead) || isAnyForbidden(utf8, lead + 4 * words.length, utf8.length)) return true;
  const { length } = words;
  for (let n = 0; n < length; n++) {
    const four = words[n];
    // The highest bit is set for bytes below 32; line ends and borrows from a neighbor set it too, so look again
    if ((four - 0x20202020) & ~four & 0x80808080 && isAnyForbidden(utf8, lead + 4 * n, lead + 4 * n + 4)) return true;
  }
  return false;
}

function isAnyForbidden(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (isForbidden(bytes[at])) return true;
  return false;
}
