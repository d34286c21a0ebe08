/**
 * Decoders and encoders in WebAssembly, each loaded when it is first used. An instance of Emscripten's serves one image,
 * because its memory never shrinks.
 */
import { type BuiltAsset, readBytes } from "../../app/built_assets.ts";
import type { ImageInfo } from "../headers/image_header.ts";
import { chunkName, readPngChunks } from "../headers/png_chunks.ts";
import type { Pixels } from "./pixels.ts";

/** The image is malformed, or of a kind that the decoder does not know. */
export class UndecodableImageError extends Error {}

/** What the packages' factories make, as far as it is used. */
interface Codec {
  decode(data: Uint8Array, ...options: boolean[]): Pixels | null;
  encode(data: Pixels["data"], width: number, height: number, options: Record<string, unknown>): Uint8Array | null;
}
type Factory = (options: Record<string, unknown>) => Promise<Codec>;

const modules = new Map<string, Promise<WebAssembly.Module>>();

/** Compiles a module once. */
function compile(name: string, load: () => Promise<{ default: BuiltAsset }>): Promise<WebAssembly.Module> {
  const known = modules.get(name);
  if (known) return known;
  const compiled = load().then(({ default: asset }) => WebAssembly.compile(readBytes(asset) as BufferSource));
  modules.set(name, compiled);
  compiled.catch(() => modules.delete(name));
  return compiled;
}

/** An instance of a codec, and what it reports to its console. */
async function instantiate(factory: unknown, module: WebAssembly.Module) {
  const reports: string[] = [];
  const codec = await (factory as Factory)({
    noInitialRun: true,
    instantiateWasm(imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) {
      const instance = new WebAssembly.Instance(module, imports);
      receive(instance);
      return instance.exports;
    },
    print: (line: string) => reports.push(line),
    printErr: (line: string) => reports.push(line),
  });
  return { codec, reports };
}

/** The packages use it for results; Deno has it, other runtimes may not. */
function provideImageData() {
  const scope = globalThis as { ImageData?: unknown };
  scope.ImageData ??= class {
    constructor(readonly data: Uint8ClampedArray, readonly width: number, readonly height: number) {}
  };
}

type Decode = (bytes: Uint8Array) => Promise<Pixels>;

async function decodeJpeg(bytes: Uint8Array): Promise<Pixels> {
  const [{ default: factory }, module] = await Promise.all([
    import("@jsquash/jpeg/codec/dec/mozjpeg_dec.js"),
    compile("jpeg_decoder", () => import("../../built/jpeg_decoder.json", { with: { type: "json" } })),
  ]);
  return decodeWith(await instantiate(factory, module), bytes, false); // does not turn the image
}

async function decodeWebp(bytes: Uint8Array): Promise<Pixels> {
  const [{ default: factory }, module] = await Promise.all([
    import("@jsquash/webp/codec/dec/webp_dec.js"),
    compile("webp_decoder", () => import("../../built/webp_decoder.json", { with: { type: "json" } })),
  ]);
  return decodeWith(await instantiate(factory, module), bytes);
}

function decodeWith(
  { codec, reports }: { codec: Codec; reports: string[] },
  bytes: Uint8Array,
  ...options: boolean[]
): Pixels {
  try {
    const pixels = codec.decode(bytes, ...options);
    if (pixels) return pixels;
  } catch (cause) { // an exit of the decoder, or a trap
    throw new UndecodableImageError(reports[0] ?? (cause as Error).message, { cause });
  }
  throw new UndecodableImageError(reports[0] ?? "the data is invalid");
}

async function decodePng(bytes: Uint8Array): Promise<Pixels> {
  const [{ default: init, decode }, module] = await Promise.all([
    import("@jsquash/png/codec/pkg/squoosh_png.js"),
    compile("png_decoder", () => import("../../built/png_decoder.json", { with: { type: "json" } })),
  ]);
  await init(module);
  const png = withoutMetadata(bytes);
  await requireOwnPixels(png);
  try {
    return decode(png) as Pixels;
  } catch (cause) {
    throw new UndecodableImageError((cause as Error).message, { cause });
  }
}

/** The decoder fails with damaged metadata, where browsers show the image, and inflates all of it. */
function withoutMetadata(png: Uint8Array): Uint8Array {
  const result = png.slice();
  let length = 8;
  for (const { name, chunk } of readPngChunks(png)) {
    const isCritical = (chunk[4] & 0x20) === 0; // a capital letter
    if (!isCritical && name !== TRANSPARENCY) continue;
    result.set(chunk, length);
    length += chunk.length;
  }
  return result.subarray(0, length);
}

const TRANSPARENCY = chunkName("tRNS"), PIXELS = chunkName("IDAT");

/** The decoder inflates all data, a thousand times its length, also what is more than the image's pixels. */
async function requireOwnPixels(png: Uint8Array): Promise<void> {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const channels = [1, 0, 3, 1, 2, 0, 4][png[25]],
    rowBytes = Math.ceil(view.getUint32(16) * channels * png[24] / 8) + 1;
  let left = 2 * rowBytes * view.getUint32(20) + 1000; // interlaced images have more and shorter rows
  const inflated = ReadableStream.from(piecesOfData(png)).pipeThrough(new DecompressionStream("deflate"));
  try {
    for await (const { length } of inflated) {
      if ((left -= length) < 0) throw new UndecodableImageError("more data than pixels");
    }
  } catch (error) {
    if (error instanceof UndecodableImageError) throw error; // the decoder says what else is wrong
  }
}

/** Each is inflated as a whole. */
function* piecesOfData(png: Uint8Array): Generator<BufferSource> {
  for (const { name, content } of readPngChunks(png)) {
    if (name !== PIXELS) continue;
    for (let at = 0; at < content.length; at += 32_768) yield content.slice(at, at + 32_768);
  }
}

const DECODERS: Record<ImageInfo["type"], Decode> = {
  "image/jpeg": decodeJpeg,
  "image/png": decodePng,
  "image/webp": decodeWebp,
};

/** The pixels as they are stored; see readImageMetadata for their orientation. */
export function decodeImage(bytes: Uint8Array, type: ImageInfo["type"]): Promise<Pixels> {
  provideImageData();
  return DECODERS[type](bytes);
}

export async function encodeWebp({ data, width, height }: Pixels): Promise<Uint8Array> {
  const [{ default: factory }, { defaultOptions }, module] = await Promise.all([
    import("@jsquash/webp/codec/enc/webp_enc_simd.js"),
    import("@jsquash/webp/meta.js"),
    compile("webp_encoder", () => import("../../built/webp_encoder.json", { with: { type: "json" } })),
  ]);
  const { codec } = await instantiate(factory, module);
  return requireResult(codec.encode(data, width, height, { ...defaultOptions, quality: QUALITY }));
}

export async function encodeJpeg({ data, width, height }: Pixels): Promise<Uint8Array> {
  const [{ default: factory }, { defaultOptions }, module] = await Promise.all([
    import("@jsquash/jpeg/codec/enc/mozjpeg_enc.js"),
    import("@jsquash/jpeg/meta.js"),
    compile("jpeg_encoder", () => import("../../built/jpeg_encoder.json", { with: { type: "json" } })),
  ]);
  const { codec } = await instantiate(factory, module);
  return requireResult(codec.encode(data, width, height, { ...defaultOptions, quality: QUALITY }));
}

const QUALITY = 78;

function requireResult(encoded: Uint8Array | null): Uint8Array {
  if (!encoded) throw new Error("The image could not be encoded");
  return encoded;
}
