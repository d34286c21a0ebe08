// PostgreSQL does not run as root. If this process is root, the server gets another user.
import { dirname } from "node:path";

interface User {
  uid: number;
  gid: number;
}

/** The command of a program of the server. */
interface Started {
  program: string;
  args: string[];
  uid?: number;
  gid?: number;
}

/** The user of the server; undefined if it is the user of this process. */
export const serverUser: User | undefined = Deno.uid() === 0 ? findUser("postgres") ?? findUser("nobody") : undefined;

/** Returns the command that runs `program` as the server's user. `paths` are its folders. */
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
    // A checkout below /root: the server keeps one capability of root to reach its files
    const capability = traversalCapability();
    // The server's checks call access(), which considers capabilities of other users only with this bit
    options.push("--securebits=+no_setuid_fixup", `--inh-caps=+${capability}`, `--ambient-caps=+${capability}`);
  }
  return { program: "setpriv", args: [...options, program, ...args] };
}

function findUser(name: string): User | undefined {
  const line = Deno.readTextFileSync("/etc/passwd").split("\n").find((line) => line.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

/** The capability to traverse and read closed folders. Containers often have only the wider one. */
function traversalCapability(): "dac_read_search" | "dac_override" {
  const [, effective] = /^CapEff:\s*([0-9a-f]+)$/m.exec(Deno.readTextFileSync("/proc/self/status"))!;
  return BigInt(`0x${effective}`) & 0b100n ? "dac_read_search" : "dac_override";
}

/** Whether the user cannot enter the folder or a parent of it. */
async function isClosedTo(user: User, path: string): Promise<boolean> {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    const { mode, uid, gid } = await Deno.stat(folder);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if (mode !== null && !(mode & bit)) return true;
  }
  return false;
}
