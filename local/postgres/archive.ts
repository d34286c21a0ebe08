/** Reads the regular files of a .tar.gz, with as much of the format as extension packages need. */
export async function readArchive(file: string): Promise<{ path: string; bytes: Uint8Array }[]> {
  const packed = await Deno.readFile(file);
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const tar = new Uint8Array(await new Response(unpacked).arrayBuffer());
  const files = [];
  for (let at = 0; at + 512 <= tar.length;) {
    const field = (from: number, to: number) =>
      new TextDecoder().decode(tar.subarray(at + from, at + to)).replace(/\0.*$/s, "");
    const path = field(0, 100);
    if (!path) break;
    const size = parseInt(field(124, 136).trim() || "0", 8);
    const isFile = ["", "0"].includes(field(156, 157));
    if (isFile) files.push({ path, bytes: tar.slice(at + 512, at + 512 + size) });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
