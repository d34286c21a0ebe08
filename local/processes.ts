// Other processes on this machine, and waiting for them.

/** The command line of a running process; undefined when there is none with this id. */
export async function commandLine(pid: number): Promise<string | undefined> {
  if (!(pid > 0)) return undefined;
  if (Deno.build.os === "linux") {
    const line = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
    return line.replaceAll("\0", " ").trim() || undefined; // a zombie's is empty
  }
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "command=", "-p", String(pid)] }).output();
  return new TextDecoder().decode(stdout).trim() || undefined;
}

/** Asks again and again, a few milliseconds apart, until the answer is yes. */
export async function waitUntil(isSo: () => boolean | Promise<boolean>, milliseconds: number) {
  const end = Date.now() + milliseconds;
  while (!await isSo()) {
    if (Date.now() > end) throw new Error(`Waited ${milliseconds} ms in vain.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
