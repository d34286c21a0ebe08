/**
 * The duration of MP3: from the header that encoders write into the first frame, else from a sample of the frames. A
 * file is never read whole.
 */
import { isTagged } from "../headers/is_tagged.ts";
import { type MpegFrame, parseMpegFrame } from "../headers/mpeg_frame.ts";
import { be, type ByteSource } from "./byte_source.ts";

/** Bytes behind the tag in which the first frame begins. */
const MAX_GARBAGE_BYTES = 131_072;
const WINDOWS = 128;
const WINDOW_BYTES = 16_384;
/** Relative standard error of the sample's mean, above which a duration is a guess. */
const MAX_ERROR = 0.01;
/** Share of a sample that must be frames. */
const MIN_FRAMES_SHARE = 0.9;

/** Seconds of the frames from `from` on; undefined if they are not reliable. */
export async function measureMp3(source: ByteSource, from: number): Promise<number | undefined> {
  const bytes = await source.read(from, MAX_GARBAGE_BYTES);
  const offset = findFrames(bytes, 0, from + bytes.length === source.size);
  if (offset === undefined) return;
  const first = parseMpegFrame(bytes, offset)!;
  const header = readHeader(bytes.subarray(offset, offset + first.length), first);
  const audioBytes = source.size - from - offset;
  // files that were cut, or joined with others, keep the header of the first part
  if (header && Math.abs(header.bytes / audioBytes - 1) < 0.05) return header.frames * first.samples / first.hertz;
  return await estimate(source, from + offset, first);
}

/** Offset of three consecutive frames of one kind; near the end of the file fewer are enough. */
function findFrames(bytes: Uint8Array, from: number, isEnd: boolean, kind?: MpegFrame): number | undefined {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const first = parseMpegFrame(bytes, at);
    if (!first || kind && !isSameKind(first, kind)) continue;
    let end = at + first.length, frames = 1;
    for (let next; frames < 3 && (next = parseMpegFrame(bytes, end)) && isSameKind(next, first); frames++) {
      end += next.length;
    }
    if (frames === 3 || isEnd && end >= bytes.length) return at;
  }
}

const isSameKind = (a: MpegFrame, b: MpegFrame) =>
  a.version === b.version && a.layer === b.layer && a.hertz === b.hertz;

/** Frames and bytes by a Xing or Info header (LAME and others), or a VBRI header (Fraunhofer), if they are complete. */
function readHeader(frame: Uint8Array, { version, isMono }: MpegFrame) {
  const at = 4 + (version === 1 ? (isMono ? 17 : 32) : isMono ? 9 : 17);
  let bytes = 0, frames = 0;
  if ((isTagged(frame, at, "Xing") || isTagged(frame, at, "Info")) && (be(frame, at + 4, 4) & 3) === 3) {
    frames = be(frame, at + 8, 4);
    bytes = be(frame, at + 12, 4);
  } else if (isTagged(frame, 36, "VBRI")) {
    bytes = be(frame, 46, 4);
    frames = be(frame, 50, 4);
  }
  return bytes > 0 && frames > 0 ? { bytes, frames } : undefined;
}

/** Counts frames in windows at equal distances. Unless the bitrate is constant, the windows must agree. */
async function estimate(source: ByteSource, from: number, kind: MpegFrame): Promise<number | undefined> {
  const audioBytes = source.size - from;
  const step = Math.max(WINDOW_BYTES, Math.ceil(audioBytes / WINDOWS));
  const densities: number[] = []; // frames that begin in a window, per byte
  let sampledBytes = 0, frameBytes = 0, frames = 0, bitrate: number | undefined = kind.bitsPerSecond;
  for (let at = from; at < source.size; at += step) {
    const bytes = await source.read(at, WINDOW_BYTES);
    const found = readFrames(bytes, at + bytes.length === source.size, kind);
    sampledBytes += bytes.length;
    frameBytes += found.bytes;
    frames += found.frames;
    if (found.bitrates.size > 1 || found.frames > 0 && !found.bitrates.has(kind.bitsPerSecond)) bitrate = undefined;
    densities.push(found.frames / bytes.length);
  }
  if (frameBytes < sampledBytes * MIN_FRAMES_SHARE) return;
  const secondsPerFrame = kind.samples / kind.hertz;
  if (step === WINDOW_BYTES) return frames * secondsPerFrame; // the windows are the whole file
  if (bitrate !== undefined) return audioBytes * 8 / bitrate;
  const count = densities.length, mean = frames / sampledBytes;
  const variance = densities.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (count - 1);
  return Math.sqrt(variance / count) / mean > MAX_ERROR ? undefined : audioBytes * mean * secondsPerFrame;
}

/** All frames of a window, with those behind garbage. */
function readFrames(bytes: Uint8Array, isEnd: boolean, kind: MpegFrame) {
  const bitrates = new Set<number>();
  let frames = 0, sum = 0;
  for (let at = findFrames(bytes, 0, isEnd, kind); at !== undefined; at = findFrames(bytes, at + 1, isEnd, kind)) {
    for (let frame; (frame = parseMpegFrame(bytes, at)) && isSameKind(frame, kind); at += frame.length) {
      frames++;
      sum += Math.min(frame.length, bytes.length - at);
      bitrates.add(frame.bitsPerSecond);
    }
  }
  return { frames, bytes: sum, bitrates };
}
