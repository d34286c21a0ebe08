/** The chunks of a PNG after its signature. Lengths are as the file claims them, contents end with the file. */
export function* readPngChunks(png: Uint8Array) {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  for (let at = 8; at + 12 <= png.length;) {
    const end = at + 12 + view.getUint32(at);
    yield { name: view.getUint32(at + 4), chunk: png.subarray(at, end), content: png.subarray(at + 8, end - 4) };
    at = end;
  }
}

/** The number by which `readPngChunks` names a chunk. */
export const chunkName = (name: string) => new DataView(new TextEncoder().encode(name).buffer).getUint32(0);
