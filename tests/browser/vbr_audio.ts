// MP3 files of silence whose frames have different bitrates, without the table (Xing) that says how long they are.

const KBITS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const SAMPLES_PER_FRAME = 1152, RATE = 44_100;

/** A frame of MPEG 1, layer III, in stereo. Without bits for a spectrum it is silent at any length. */
function silentFrame(kbits: number): Uint8Array {
  const bytes = new Uint8Array(Math.floor(144_000 * kbits / RATE));
  bytes.set([0xff, 0xfb, KBITS.indexOf(kbits) << 4, 0xc0]);
  return bytes;
}

/**
 * A file of about these seconds. It begins with its lowest bitrate, by which browsers estimate its length, and has about
 * as many bytes in each later second.
 */
export function vbrAudio(seconds: number): Uint8Array {
  const count = Math.round(seconds * RATE / SAMPLES_PER_FRAME), cycle = [64, 96, 128, 160];
  const frames = Array.from({ length: count }, (_, n) => silentFrame(n < 40 ? 64 : cycle[n % cycle.length]));
  const file = new Uint8Array(frames.reduce((length, frame) => length + frame.length, 0));
  let at = 0;
  for (const frame of frames) {
    file.set(frame, at);
    at += frame.length;
  }
  return file;
}
