// The functions of a hosted project: what the CLI uploaded, in a process with the project's secrets.
import { dirname, join } from "node:path";
import { startProcess } from "../../../local/functions/process.ts";
import { repository } from "../../../local/host/project.ts";
import type { StackInfo } from "../../stack.ts";

interface Uploaded {
  name: string;
  entrypoint: string;
  verifiesJwt: boolean;
  version: number;
}

export async function createDeployedFunctions(at: StackInfo, folder: string) {
  const functions = new Map<string, Uploaded>();
  const jwks = await (await fetch(`${at.url}/auth/v1/.well-known/jwks.json`)).text();
  let running: ReturnType<typeof startProcess> | undefined;

  return {
    list: () =>
      [...functions.values()].map(({ name, verifiesJwt, version }) => ({
        ...{ id: name, slug: name, name, status: "ACTIVE", created_at: 1, updated_at: 1, ezbr_sha256: "00" },
        verify_jwt: verifiesJwt,
        version,
      })),
    /** Stores the files of a function. It runs from the next start. */
    async store(slug: string, upload: FormData) {
      const metadata = JSON.parse(String(upload.get("metadata")));
      const at = join(folder, slug);
      await Deno.remove(at, { recursive: true }).catch(() => {});
      await Deno.mkdir(at, { recursive: true });
      await Deno.symlink(join(repository, "node_modules"), join(at, "node_modules"));
      await Deno.writeTextFile(join(at, "package.json"), "{}"); // Deno then takes packages from node_modules
      for (const file of upload.getAll("file") as File[]) {
        await Deno.mkdir(join(at, dirname(file.name)), { recursive: true });
        await Deno.writeFile(join(at, file.name), new Uint8Array(await file.arrayBuffer()));
      }
      const version = (functions.get(slug)?.version ?? 0) + 1;
      functions.set(slug, {
        name: slug,
        entrypoint: join(at, metadata.entrypoint_path),
        verifiesJwt: metadata.verify_jwt,
        version,
      });
    },
    async start(secrets: Record<string, string>) {
      await running?.stop();
      running = functions.size === 0 ? undefined : startProcess(
        [...functions.values()].map(({ name, entrypoint }) => ({
          name,
          entrypoint,
          importMap: join(folder, name, "deno.json"),
        })),
        {
          SUPABASE_URL: at.url,
          SUPABASE_DB_URL: at.dbUrl,
          SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: at.publishableKey }),
          SUPABASE_SECRET_KEYS: JSON.stringify({ default: at.secretKey }),
          SUPABASE_JWKS: jwks,
          ...secrets,
        },
      );
      await running?.port;
    },
    /** The base URL of the functions, if they run. */
    async url() {
      const port = await running?.port;
      return port && `http://127.0.0.1:${port}`;
    },
    [Symbol.asyncDispose]: async () => void await running?.stop(),
  };
}
