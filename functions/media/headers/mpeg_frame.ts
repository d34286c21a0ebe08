/** The header of a frame of MPEG audio: MP1, MP2, MP3 (ISO 11172-3, 2.4.1.3; ISO 13818-3). */

export interface MpegFrame {
  /** Bytes, with the header. */
  length: number;
  samples: number;
  hertz: number;
  bitsPerSecond: number;
  version: 1 | 2 | 2.5;
  layer: 1 | 2 | 3;
  isMono: boolean;
}

const MPEG1 = {
  1: [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  2: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  3: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
};
const MPEG2 = {
  1: [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  3: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const RATES = [44_100, 48_000, 32_000];
const VERSIONS = [2.5, undefined, 2, 1] as const;

/** The frame whose header is at this offset; undefined without a header, or with a free bitrate. */
export function parseMpegFrame(bytes: Uint8Array, at: number): MpegFrame | undefined {
  if (at + 4 > bytes.length || bytes[at] !== 0xff || (bytes[at + 1] & 0xe0) !== 0xe0) return;
  const version = VERSIONS[bytes[at + 1] >> 3 & 3];
  const layer = 4 - (bytes[at + 1] >> 1 & 3) as 1 | 2 | 3 | 4;
  const rate = RATES[bytes[at + 2] >> 2 & 3];
  if (!version || layer === 4 || !rate) return;
  const kilobits = (version === 1 ? MPEG1 : MPEG2)[layer][(bytes[at + 2] >> 4) - 1];
  if (!kilobits) return;
  const hertz = rate / (version === 1 ? 1 : version === 2 ? 2 : 4);
  const padding = bytes[at + 2] >> 1 & 1;
  const samples = layer === 1 ? 384 : layer === 3 && version !== 1 ? 576 : 1152;
  const slot = layer === 1 ? 4 : 1;
  return {
    length: slot * (Math.floor(samples / 8 / slot * 1000 * kilobits / hertz) + padding),
    samples,
    hertz,
    bitsPerSecond: 1000 * kilobits,
    version,
    layer,
    isMono: bytes[at + 3] >> 6 === 3,
  };
}
