/** The text of a file; undefined if there is no such file. */
export async function readOptionalText(file: string): Promise<string | undefined> {
  return await Deno.readTextFile(file).catch(undefinedIfMissing);
}

/** For `catch`: rethrows every error other than that of a missing file or folder. */
export function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
