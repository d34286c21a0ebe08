// Other processes on this machine.

/** The command line of a running process; undefined if no process has this id. */
export async function commandLine(pid: number): Promise<string | undefined> {
  if (!(pid > 0)) return undefined;
  if (Deno.build.os === "linux") {
    const line = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
    return line.replaceAll("\0", " ").trim() || undefined; // that of a zombie is empty
  }
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "command=", "-p", String(pid)] }).output();
  return new TextDecoder().decode(stdout).trim() || undefined;
}

/** Polls every few milliseconds until the condition holds. Throws after `milliseconds`. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, milliseconds: number) {
  const end = Date.now() + milliseconds;
  while (!await condition()) {
    if (Date.now() > end) throw new Error(`Timed out after ${milliseconds} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
