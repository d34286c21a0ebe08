// Runs a TypeScript entry point on the Deno that ships in node_modules: `node local/deno.mjs <file> [args]`.
// The deno package finds its binary in an install script, which npm may not run: this does without.
import { spawn } from "node:child_process";
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
  console.error(`${platform} is not installed: run npm ci on this machine (Node 20 or later).`);
  process.exit(1);
}
const deno = join(folder, process.platform === "win32" ? "deno.exe" : "deno");
const root = dirname(dirname(fileURLToPath(import.meta.url)));

const [entry, ...args] = process.argv.slice(2);
const command = ["test", "check", "lint", "fmt"].includes(entry)
  ? [entry, ...args]
  : ["run", "--allow-all", "--no-check", join(root, entry), ...args];
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
