/**
 * The duration of MP3: from the header that encoders write into the first frame, which has a seek table, else from the
 * frames. Only a file of a variable bitrate without this header is read whole.
 */
import { isTagged } from "../headers/is_tagged.ts";
import { type MpegFrame, parseMpegFrame } from "../headers/mpeg_frame.ts";
import { be, type ByteSource } from "./byte_source.ts";
import type { Probe } from "./probe.ts";

/** Bytes behind the tag in which the first frame begins. */
const MAX_GARBAGE_BYTES = 131_072;
const WINDOWS = 128, FEW_WINDOWS = 8;
const WINDOW_BYTES = 16_384;
/** Relative standard error of the sample's mean, above which a duration is a guess. */
const MAX_ERROR = 0.01;
/** Share of a sample that must be frames. */
const MIN_FRAMES_SHARE = 0.9;

/** A file of a variable bitrate without a header is counted frame by frame, up to this size. */
const MAX_COUNTED_BYTES = 64 * 1024 * 1024;
const COUNT_BYTES = 1024 * 1024;
/** Share of frames of the most common bitrate from which apps seek exactly: some files have a frame of another one. */
const CONSTANT_SHARE = 0.98;

/** Seconds of the frames from `from` on, undefined if they are not reliable, and whether apps can seek exactly. */
export async function measureMp3(source: ByteSource, from: number): Promise<Pick<Probe, "duration" | "hasSeekTable">> {
  const start = await findStart(source, from);
  if (!start) return {};
  return start.headerSeconds === undefined
    ? await measureFrames(source, start)
    : { duration: start.headerSeconds, hasSeekTable: true };
}

/** Whether apps can seek exactly, from a few frames; undefined if the file cannot be read. */
export async function hasSeekTable(source: ByteSource, from: number): Promise<boolean | undefined> {
  const start = await findStart(source, from);
  if (!start) return;
  if (start.headerSeconds !== undefined) return true;
  const sample = await sampleFrames(source, start, FEW_WINDOWS);
  return sample.isReliable ? isConstant(sample) : undefined;
}

/** The first frame, and the seconds by its header. */
interface Start {
  at: number;
  kind: MpegFrame;
  headerSeconds?: number;
}

async function findStart(source: ByteSource, from: number): Promise<Start | undefined> {
  const bytes = await source.read(from, MAX_GARBAGE_BYTES);
  const offset = findFrames(bytes, 0, from + bytes.length === source.size);
  if (offset === undefined) return;
  const at = from + offset, kind = parseMpegFrame(bytes, offset)!;
  const header = readHeader(bytes.subarray(offset, offset + kind.length), kind);
  // files that were cut, or joined with others, keep the header of the first part
  const isWhole = header && Math.abs(header.bytes / (source.size - at) - 1) < 0.05;
  return { at, kind, headerSeconds: isWhole ? header.frames * kind.samples / kind.hertz : undefined };
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

interface Sample {
  frames: number;
  bytes: number;
  /** Frames by their bitrate. */
  bitrates: Map<number, number>;
  /** Of each window: frames that begin in it, per byte. */
  densities: number[];
  isReliable: boolean;
  /** The windows are the whole file. */
  isWhole: boolean;
}

/** Reads frames in windows at equal distances. */
async function sampleFrames(source: ByteSource, { at: from, kind }: Start, windows: number): Promise<Sample> {
  const step = Math.max(WINDOW_BYTES, Math.ceil((source.size - from) / windows));
  const densities: number[] = [], bitrates = new Map<number, number>();
  let bytes = 0, frameBytes = 0, frames = 0;
  for (let at = from; at < source.size; at += step) {
    const window = await source.read(at, WINDOW_BYTES);
    const found = readFrames(window, at + window.length === source.size, kind, bitrates);
    bytes += window.length;
    frameBytes += found.bytes;
    frames += found.frames;
    densities.push(found.frames / window.length);
  }
  const isReliable = frameBytes >= bytes * MIN_FRAMES_SHARE;
  return { frames, bytes, bitrates, densities, isReliable, isWhole: step === WINDOW_BYTES };
}

const isConstant = ({ bitrates, frames }: Sample) => Math.max(...bitrates.values()) >= CONSTANT_SHARE * frames;

/** Of a file without a usable header. */
async function measureFrames(source: ByteSource, start: Start) {
  const { at, kind } = start, audioBytes = source.size - at, secondsPerFrame = kind.samples / kind.hertz;
  const sample = await sampleFrames(source, start, WINDOWS);
  if (!sample.isReliable) return {};
  const { frames, bitrates } = sample, hasSeekTable = isConstant(sample);
  if (sample.isWhole) return { duration: frames * secondsPerFrame, hasSeekTable };
  if (bitrates.size === 1 && bitrates.has(kind.bitsPerSecond)) {
    return { duration: audioBytes * 8 / kind.bitsPerSecond, hasSeekTable };
  }
  const duration = audioBytes <= MAX_COUNTED_BYTES
    ? await countFrames(source, start) * secondsPerFrame
    : estimateSeconds(sample, audioBytes, secondsPerFrame);
  return { duration, hasSeekTable };
}

/** By the mean of the windows, which must agree. */
function estimateSeconds({ frames, bytes, densities }: Sample, audioBytes: number, secondsPerFrame: number) {
  const count = densities.length, mean = frames / bytes;
  const variance = densities.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (count - 1);
  return Math.sqrt(variance / count) / mean > MAX_ERROR ? undefined : audioBytes * mean * secondsPerFrame;
}

/** The number of all frames. */
async function countFrames(source: ByteSource, { at: from, kind }: Start): Promise<number> {
  const whole = source.reopen({ maxBytes: 2 * MAX_COUNTED_BYTES, maxRequests: 4 * MAX_COUNTED_BYTES / COUNT_BYTES });
  let frames = 0;
  for (let at = from; at + 4 <= source.size;) {
    const bytes = await whole.read(at, COUNT_BYTES), isEnd = at + bytes.length === source.size;
    let offset = 0;
    for (let next: number | undefined = 0; next !== undefined; next = findFrames(bytes, offset + 1, isEnd, kind)) {
      offset = next;
      for (let frame; (frame = parseMpegFrame(bytes, offset)) && isSameKind(frame, kind); offset += frame.length) {
        frames++;
      }
      if (offset + 4 > bytes.length) break; // the next block continues here
    }
    // three frames behind garbage may lie across the end of a block
    at += isEnd ? bytes.length : Math.max(offset, bytes.length - OVERLAP_BYTES);
  }
  return frames;
}
const OVERLAP_BYTES = 8192;

/** All frames of a window, with those behind garbage. */
function readFrames(bytes: Uint8Array, isEnd: boolean, kind: MpegFrame, bitrates: Map<number, number>) {
  let frames = 0, sum = 0;
  for (let at = findFrames(bytes, 0, isEnd, kind); at !== undefined; at = findFrames(bytes, at + 1, isEnd, kind)) {
    for (let frame; (frame = parseMpegFrame(bytes, at)) && isSameKind(frame, kind); at += frame.length) {
      frames++;
      sum += Math.min(frame.length, bytes.length - at);
      bitrates.set(frame.bitsPerSecond, (bitrates.get(frame.bitsPerSecond) ?? 0) + 1);
    }
  }
  return { frames, bytes: sum };
}
