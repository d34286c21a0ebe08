// PostgreSQL refuses to run as root. Started as root, it gets a user of its own; otherwise it runs as whoever starts it.
import { dirname } from "node:path";

interface User {
  uid: number;
  gid: number;
}

/** How to start a program of the server's. */
export interface Started {
  program: string;
  args: string[];
  uid?: number;
  gid?: number;
}

/** Whom the server runs as; undefined: as the user of this process. */
export const serverUser: User | undefined = Deno.uid() === 0 ? ofPasswd("postgres") ?? ofPasswd("nobody") : undefined;

/** The command that runs `program` as the server's user. `paths` are the folders it works in. */
export async function unprivileged(
  program: string,
  args: string[],
  { paths }: { paths: string[] },
): Promise<Started> {
  if (!serverUser || Deno.build.os !== "linux") return { program, args, ...serverUser };
  const { uid, gid } = serverUser;
  const options = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
  const closed = await Promise.all(paths.map((path) => isClosedTo(serverUser!, path)));
  if (closed.includes(true)) {
    // a checkout under /root: one right of root's goes along, so that the server gets to its files
    const right = passingRight();
    // its own checks ask access(), which looks at rights of users other than root only with this bit
    options.push("--securebits=+no_setuid_fixup", `--inh-caps=+${right}`, `--ambient-caps=+${right}`);
  }
  return { program: "setpriv", args: [...options, program, ...args] };
}

function ofPasswd(name: string): User | undefined {
  const line = Deno.readTextFileSync("/etc/passwd").split("\n").find((line) => line.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

/** The right to walk through closed folders and read; containers often lack it and have the wider one. */
function passingRight(): "dac_read_search" | "dac_override" {
  const [, held] = /^CapEff:\s*([0-9a-f]+)$/m.exec(Deno.readTextFileSync("/proc/self/status"))!;
  return BigInt(`0x${held}`) & 0b100n ? "dac_read_search" : "dac_override";
}

/** Whether the folder or one on the way to it does not let the user in. */
async function isClosedTo(user: User, path: string): Promise<boolean> {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    const { mode, uid, gid } = await Deno.stat(folder);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if (mode !== null && !(mode & bit)) return true;
  }
  return false;
}
