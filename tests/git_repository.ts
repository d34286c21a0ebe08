// A Git repository of a test, with one commit and one tag.
import { ok } from "node:assert";
import { join } from "node:path";
import { exists } from "../local/postgres/build_once.ts";

/**
 * Makes a temporary folder a repository and tags its files. Names the repository in each call, so that nothing reaches
 * another one: a worktree's .git file or the variables of a hook would lead there.
 */
export async function tagFiles(folder: string, tag: string) {
  const directory = join(folder, ".git");
  ok(!await exists(directory), `${directory} exists`);
  const env = { GIT_DIR: directory, GIT_WORK_TREE: folder, GIT_INDEX_FILE: join(directory, "index") };
  const git = async (...args: string[]) => {
    const { success, stderr } = await new Deno.Command("git", { args, cwd: folder, env }).output();
    ok(success, new TextDecoder().decode(stderr));
  };
  await git("init", "--quiet");
  await git("add", ".");
  await git("-c", "user.name=Ana", "-c", "user.email=ana@castbase.test", "commit", "--quiet", "--message", "Release");
  await git("tag", tag);
}
