/** WAV: seconds are the bytes of the data chunk by the bytes per second. An ID3 chunk has chapters. */
import { isTagged } from "../headers/is_tagged.ts";
import { type ByteSource, le } from "./byte_source.ts";
import { readId3Chapters } from "./id3.ts";
import { type Probe, readChapters } from "./probe.ts";

const MAX_CHUNKS = 100;

export async function probeWav(source: ByteSource): Promise<Probe> {
  let bytesPerSecond = 0, dataBytes = 0, tagAt: number | undefined;
  for (let at = 12, n = 0; at + 8 <= source.size && n < MAX_CHUNKS; n++) {
    const head = await source.read(at, 24);
    const left = source.size - at - 8;
    let length = le(head, 4, 4);
    if (isTagged(head, 0, "fmt ")) bytesPerSecond = le(head, 16, 4) || le(head, 12, 4) * le(head, 20, 2);
    if (isTagged(head, 0, "data")) {
      if (length === 0 || length > left) length = left; // a recorder that was cut off, or streamed
      dataBytes ||= length;
    }
    if (isTagged(head, 0, "id3 ") || isTagged(head, 0, "ID3 ")) tagAt ??= at + 8;
    at += 8 + length + length % 2;
  }
  return {
    duration: bytesPerSecond > 0 && dataBytes > 0 ? dataBytes / bytesPerSecond : undefined,
    ...await readChapters(async () => tagAt === undefined ? [] : await readId3Chapters(source, tagAt)),
  };
}
