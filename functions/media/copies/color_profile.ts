/** Adds a color profile to encoded images, whose encoders write none. */

const ascii = (text: string) => new TextEncoder().encode(text);

function joined(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** One segment APP2 after the start of the image. The profile has at most 8 KB, of the 64 KB of a segment. */
export function addProfileToJpeg(image: Uint8Array, profile: Uint8Array): Uint8Array {
  const length = 2 + 14 + profile.length;
  return joined([
    image.subarray(0, 2),
    Uint8Array.of(0xff, 0xe2, length >> 8, length & 0xff),
    ascii("ICC_PROFILE\0"),
    Uint8Array.of(1, 1), // part 1 of 1
    profile,
    image.subarray(2),
  ]);
}

/** The extended format: a header with flags and the size of the canvas, the profile, then the chunks of the image. */
export function addProfileToWebp(
  image: Uint8Array,
  profile: Uint8Array,
  { width, height, hasAlpha }: { width: number; height: number; hasAlpha: boolean },
): Uint8Array {
  const isExtended = image[15] === 0x58; // VP8X
  const header = isExtended ? image.slice(20, 30) : Uint8Array.of(
    hasAlpha ? 0x10 : 0,
    ...[0, 0, 0],
    ...le24(width - 1),
    ...le24(height - 1),
  );
  header[0] |= 0x20;
  const body = joined([
    ascii("WEBP"),
    chunk("VP8X", header),
    chunk("ICCP", profile),
    image.subarray(isExtended ? 30 : 12),
  ]);
  return chunk("RIFF", body);
}

const le24 = (value: number) => [value & 0xff, value >> 8 & 0xff, value >> 16 & 0xff];

function chunk(name: string, content: Uint8Array): Uint8Array {
  const length = Uint8Array.of(...le24(content.length), content.length >>> 24);
  return joined([ascii(name), length, content, new Uint8Array(content.length % 2)]);
}
