// The processes of a stack under test. Linux only.
import { commandLine } from "../../local/host/processes.ts";
import { waitFor } from "../wait_for.ts";

/** The process and its descendants. */
export async function processesOf(pid: number): Promise<number[]> {
  const children = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    const stat = /^\d+$/.test(name) && await Deno.readTextFile(`/proc/${name}/stat`).catch(() => "");
    if (stat && Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]) === pid) children.push(Number(name));
  }
  return [pid, ...(await Promise.all(children.map(processesOf))).flat()];
}

export async function waitForEndOf(pids: number[]) {
  const lines = () => Promise.all(pids.map(commandLine));
  await waitFor("the end of the stack's processes", async () => (await lines()).every((line) => !line), 60);
}
