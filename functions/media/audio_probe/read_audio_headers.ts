/** Duration and chapters of an audio file, from its headers. Its content decides about the format, not its type. */
import { isTagged } from "../headers/is_tagged.ts";
import type { ByteSource } from "./byte_source.ts";
import { readId3Chapters } from "./id3.ts";
import { skipId3Tags } from "./id3_frames.ts";
import { measureMp3 } from "./mp3.ts";
import { probeMp4 } from "./mp4.ts";
import { type Probe, readChapters } from "./probe.ts";
import { probeWav } from "./wav.ts";

/** Below the bitrate of every codec: a header that claims more seconds is wrong. */
const MIN_BYTES_PER_SECOND = 100;

/** Throws what the source throws. */
export async function readAudioHeaders(source: ByteSource): Promise<Probe> {
  const head = await source.read(0, 12);
  const probe = isTagged(head, 4, "ftyp")
    ? { hasSeekTable: true, ...await probeMp4(source) }
    : isTagged(head, 8, "WAVE")
    ? { hasSeekTable: true, ...await probeWav(source) }
    : await probeMp3(source);
  const { duration } = probe;
  if (duration === undefined) return { problem: "The file tells no reliable duration", ...probe };
  if (duration > 0 && source.size / duration >= MIN_BYTES_PER_SECOND) return probe;
  return { ...probe, duration: undefined, problem: `A file of this size cannot last ${duration} seconds` };
}

async function probeMp3(source: ByteSource): Promise<Probe> {
  const measured = await measureMp3(source, await skipId3Tags(source));
  return { ...measured, ...await readChapters(() => readId3Chapters(source, 0)) };
}
