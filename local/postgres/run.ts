/** Runs a program to its end; what it complained about becomes the error. */
export async function run(program: string, args: string[], options: Omit<Deno.CommandOptions, "args"> = {}) {
  const { success, stderr } = await new Deno.Command(program, {
    ...options,
    args,
    env: { ...options.env, LC_ALL: "C" }, // for what is read in the complaint
    stdin: "null",
  }).output();
  if (!success) throw new Error(`${program} failed: ${new TextDecoder().decode(stderr).trim()}`);
}
