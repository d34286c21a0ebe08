// Supabase projects of tests: a folder with the given files, and free ports for config.toml.
import { dirname, join } from "node:path";
import { freePort } from "../../../local/host/ports.ts";
import { projectPaths } from "../../../local/host/project.ts";
import { folderOfFile } from "../../temporary_folder.ts";

export const freePorts = () => ({ api: freePort(), database: freePort(), inbox: freePort(), smtp: freePort() });

/** Ends within the table [api]. */
export const portsToml = ({ api, database, inbox, smtp } = freePorts()) =>
  `[db]
port = ${database}
[local_smtp]
port = ${inbox}
smtp_port = ${smtp}
[api]
port = ${api}
`;

/** Lets a project use the server and the cluster that this repository has built. */
export async function shareCache(folder: string) {
  const { cache } = projectPaths();
  await Deno.mkdir(cache, { recursive: true });
  await Deno.symlink(cache, join(folder, ".cache"));
}

/** A new folder with these files, by path; deleted at the end of the test file. */
export async function projectFolder(files: Record<string, string>): Promise<string> {
  const folder = await folderOfFile("castbase-project-");
  await shareCache(folder);
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(join(folder, dirname(path)), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  }
  return folder;
}
