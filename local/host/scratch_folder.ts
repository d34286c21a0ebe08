/** Makes a temporary folder for a server's data, in the folder that CASTBASE_SCRATCH names or that of the system. */
export async function makeScratchFolder(prefix = "scratch-"): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix, dir: Deno.env.get("CASTBASE_SCRATCH") });
  await Deno.chmod(folder, 0o755); // if this process is root, the server runs as another user
  return folder;
}
