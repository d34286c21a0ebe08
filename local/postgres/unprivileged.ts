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

/**
 * The command that runs `program` as the server's user. `paths` are the folders it works in. With `dieWithUs` the
 * kernel tells it to stop when this process ends, however it ends (on Linux; elsewhere the next start stops it).
 */
export async function unprivileged(
  program: string,
  args: string[],
  { paths, dieWithUs = false }: { paths: string[]; dieWithUs?: boolean },
): Promise<Started> {
  if (Deno.build.os !== "linux") return { program, args, ...serverUser };
  const options = dieWithUs ? ["--pdeathsig", "INT"] : [];
  if (serverUser) {
    const { uid, gid } = serverUser;
    options.push(`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups");
    const closed = await Promise.all(paths.map((path) => isClosedTo(serverUser!, path)));
    // a checkout under /root: the right to walk through closed folders and to read, and no other of root's rights
    if (closed.includes(true)) options.push("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search");
  }
  return { program: "setpriv", args: [...options, program, ...args] };
}

function ofPasswd(name: string): User | undefined {
  const line = Deno.readTextFileSync("/etc/passwd").split("\n").find((line) => line.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid ? { uid: Number(uid), gid: Number(gid) } : undefined;
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
