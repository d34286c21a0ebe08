/** Runs a program. Throws with its error output. */
export async function run(program: string, args: string[], options: Omit<Deno.CommandOptions, "args"> = {}) {
  const { success, stderr } = await new Deno.Command(program, {
    ...options,
    args,
    env: { ...options.env, LC_ALL: "C" }, // explain() reads the messages
    stdin: "null",
  }).output();
  if (!success) throw new Error(`${program} failed: ${new TextDecoder().decode(stderr).trim()}`);
}
