// A copy of this repository, from which a test deploys and in which it may break files.
import { join } from "node:path";
import { repository } from "../../../local/host/project.ts";
import { copySource } from "../../source_files.ts";
import { folderOfFile } from "../../temporary_folder.ts";

const COPIED = ["functions", "local", "scripts", "supabase", "types"], LINKED = ["node_modules", "sql"];

export async function copyProject() {
  const folder = await folderOfFile("castbase-deploy-");
  for (const name of COPIED) await copySource(name, join(folder, name));
  for (const name of LINKED) await Deno.symlink(join(repository, name), join(folder, name));
  for (const name of ["deno.json", "package.json"]) await Deno.copyFile(join(repository, name), join(folder, name));

  return {
    folder,
    /** Writes a file, or deletes it. Returns its former text. */
    async change(path: string, change: (text: string) => string | undefined): Promise<string> {
      const file = join(folder, path);
      const former = await Deno.readTextFile(file).catch(() => "");
      const text = change(former);
      if (text === undefined) await Deno.remove(file);
      else await Deno.writeTextFile(file, text);
      return former;
    },
    /** Runs what npm run deploy runs, in an environment of its own. */
    deploy: (env: Record<string, string>, ...args: string[]) =>
      execute(Deno.execPath(), [
        ...["run", "--allow-all", "--no-check", join(folder, "scripts/deploy/deploy.ts"), ...args],
      ], env),
    /** Runs shell commands in the folder. */
    shell: (commands: string, env: Record<string, string>) => execute("sh", ["-euc", commands], env),
  };

  async function execute(command: string, args: string[], env: Record<string, string>) {
    const { code, stdout, stderr } = await new Deno.Command(command, {
      args,
      cwd: folder,
      clearEnv: true,
      env: { ...inherited(), ...env },
      stdin: "null",
      signal: AbortSignal.timeout(180_000),
    }).output();
    return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
  }
}

const inherited = () =>
  Object.fromEntries(
    ["HOME", "PATH", "DENO_DIR", "TMPDIR"].flatMap((name) => Deno.env.has(name) ? [[name, Deno.env.get(name)!]] : []),
  );
