// Runs a TypeScript entry point on the Deno that ships in node_modules: `node local/deno.mjs <file> [args]`.
// The deno package finds its binary in an install script, which npm may not run: this does without.
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const platform = `@deno/${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`;
let folder;
try {
  folder = dirname(require.resolve(`${platform}/package.json`));
} catch {
  console.error(`${platform} is not installed. Run npm ci on this machine (Node 20 or later).`);
  process.exit(1);
}
const deno = join(folder, process.platform === "win32" ? "deno.exe" : "deno");
const root = dirname(dirname(fileURLToPath(import.meta.url)));

const CHECKED = ["functions", "local", "scripts", "tests", "types"]; // bench/ has packages of its own

const [entry, ...args] = process.argv.slice(2);
const command = ["test", "check", "lint", "fmt"].includes(entry)
  ? [entry, ...entry === "check" && args.length === 0 ? CHECKED : args] // fmt and lint take all files by themselves
  : ["run", "--allow-all", "--no-check", join(root, entry), ...args];
const hasNpmEnded = watchNpm(); // before the child is there, so that no end is missed
const child = spawn(deno, command, {
  stdio: "inherit",
  env: {
    ...process.env,
    DENO_NO_UPDATE_CHECK: "1",
    DENO_TLS_CA_STORE: "system",
    DENO_NO_PROMPT: "1",
    DO_NOT_TRACK: "1",
  },
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  // Ctrl-C reaches the whole group by itself; a kill of this process alone must reach the child too
  process.on(signal, () => signal === "SIGINT" && process.stdin.isTTY || child.kill(signal));
}
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));
if (hasNpmEnded) {
  const timer = setInterval(() => {
    if (!hasNpmEnded()) return;
    clearInterval(timer);
    child.kill("SIGTERM");
  }, 500);
}

/**
 * Asks whether the npm that started this process has ended. A signal to npm reaches at most the shell between npm and
 * this process. Undefined when npm did not start it: a shell that ends leaves what it started running.
 */
function watchNpm() {
  if (!process.env.npm_lifecycle_event || process.platform === "win32") return undefined;
  const parent = process.ppid;
  const [program = "", option] = commandOf(parent);
  const isShell = /^-?(ba|da|z|k|a)?sh$/.test(program.slice(program.lastIndexOf("/") + 1));
  if (isShell && option !== "-c") return undefined; // a person's shell, which inherited npm's environment
  const npm = isShell ? parentOf(parent) : undefined;
  return () => process.ppid !== parent || (isShell && parentOf(parent) !== npm);
}

function commandOf(pid) {
  try {
    return process.platform === "linux"
      ? readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
      : execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" }).split(" ");
  } catch {
    return [];
  }
}

function parentOf(pid) {
  try {
    if (process.platform !== "linux") return Number(execFileSync("ps", ["-o", "ppid=", "-p", String(pid)]));
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]); // a program's name may hold spaces and brackets
  } catch {
    return undefined;
  }
}
