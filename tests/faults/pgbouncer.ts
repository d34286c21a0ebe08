// Debian's PgBouncer in front of a database, configured as Supabase configures it.
import { join } from "node:path";
import { spawnChild } from "../../local/host/child_process.ts";
import { makeScratchFolder } from "../../local/host/scratch_folder.ts";
import { run } from "../../local/postgres/run.ts";
import { serverUser } from "../../local/postgres/unprivileged.ts";
import { waitFor } from "../wait_for.ts";

const version = await Promise.resolve() // a missing program throws at once
  .then(() => new Deno.Command("pgbouncer", { args: ["--version"] }).output())
  .then(({ stdout }) => new TextDecoder().decode(stdout).split("\n")[0], () => undefined);

/** For the options of a test that needs PgBouncer: a line that says why it does not run. */
export const pgbouncer = { ignore: !version, title: version ?? "PgBouncer (apt-get install pgbouncer)" };

interface PgBouncer extends AsyncDisposable {
  url: string;
  /** The authority of its certificate, in PEM. */
  certificate: string;
}

/** Starts it at `port`, with this password for clients. `tls` is one of its modes. */
export async function startPgBouncer(
  port: number,
  dbUrl: string,
  { password = "postgres", tls = "allow" } = {},
): Promise<PgBouncer> {
  const folder = await makeScratchFolder(), file = (name: string) => join(folder, name);
  const database = new URL(dbUrl), { username } = database;
  const keys = ["-newkey", "rsa:2048", "-nodes", "-days", "1"], server = ["-subj", "/CN=127.0.0.1"];
  await run("openssl", [
    "req",
    "-x509",
    ...keys,
    "-subj",
    "/CN=Test",
    "-keyout",
    file("ca.key"),
    "-out",
    file("ca.pem"),
  ]);
  await run("openssl", ["req", ...keys, ...server, "-keyout", file("key.pem"), "-out", file("request.pem")]);
  await Deno.writeTextFile(file("names"), "subjectAltName = IP:127.0.0.1");
  await run(
    "openssl",
    ["x509", "-req", "-days", "1", "-in", file("request.pem"), "-CA", file("ca.pem"), "-CAkey"]
      .concat(file("ca.key"), "-CAcreateserial", "-extfile", file("names"), "-out", file("cert.pem")),
  );
  await Deno.writeTextFile(file("users.txt"), `"${username}" "${password}"\n`);
  await Deno.writeTextFile(
    file("pgbouncer.ini"),
    `[databases]
* = host=${database.hostname} port=${database.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${file("users.txt")}
pool_mode = transaction
default_pool_size = 15
max_client_conn = 200
ignore_startup_parameters = extra_float_digits
client_tls_sslmode = ${tls}
client_tls_key_file = ${file("key.pem")}
client_tls_cert_file = ${file("cert.pem")}
`,
  );
  if (serverUser) await run("chown", ["-R", `${serverUser.uid}:${serverUser.gid}`, folder]);
  const child = spawnChild("pgbouncer", ["--quiet", file("pgbouncer.ini")], {
    ...serverUser,
    cwd: "/",
    stdout: "null",
    stderr: "null",
  }, { signal: "SIGINT", seconds: 5, lastSignal: "SIGKILL" });
  await waitFor(
    "PgBouncer listens",
    () => Deno.connect({ hostname: "127.0.0.1", port }).then((connection) => (connection.close(), true), () => false),
  );
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${port}${database.pathname}`,
    certificate: await Deno.readTextFile(file("ca.pem")),
    async [Symbol.asyncDispose]() {
      await child.stop();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
