// Temporary folders of test files.

/**
 * A new folder, removed at the end of the test file. If that fails, because a process of a failed test still writes to
 * it, the folder stays: Deno would report this error, without a message, instead of the test's.
 */
export async function folderOfFile(prefix: string): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix });
  globalThis.addEventListener("unload", () => {
    try {
      Deno.removeSync(folder, { recursive: true });
    } catch {
      // see above
    }
  });
  return folder;
}
