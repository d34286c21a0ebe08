/** Decodes a part of a URL's path; undefined if it is not percent-encoded text. */
export function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
