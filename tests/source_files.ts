// The files of this repository that tests read, run or copy.
import { join } from "node:path";
import { repository } from "../local/host/project.ts";

export interface SourceFile {
  /** From the repository's root. */
  path: string;
  text: string;
}

/** Folders that hold no sources: installed packages, data, caches. */
const IGNORED_FOLDER = /^(?:node_modules$|\.)/;

/** In a worktree, a file: a copy of it would lead to this repository. */
const GIT = ".git";

/** Paths from the repository's root of the files below a folder, in order. */
export function sourcePaths(folder: string, pattern = /./): string[] {
  return [...Deno.readDirSync(join(repository, folder))].flatMap(({ name, isDirectory }) => {
    if (name === GIT) return [];
    const path = join(folder, name);
    if (isDirectory) return IGNORED_FOLDER.test(name) ? [] : sourcePaths(path, pattern);
    return pattern.test(path) ? [path] : [];
  }).sort();
}

/** The files below these folders whose paths match, with their text. */
export function sourceFiles(folders: string[], pattern: RegExp): SourceFile[] {
  return folders.flatMap((folder) => sourcePaths(folder, pattern))
    .map((path) => ({ path, text: Deno.readTextFileSync(join(repository, path)) }));
}

/** Copies a folder of the repository. */
export async function copySource(folder: string, to: string) {
  for (const path of sourcePaths(folder)) {
    const target = join(to, path.slice(folder.length));
    await Deno.mkdir(join(target, ".."), { recursive: true });
    await Deno.copyFile(join(repository, path), target);
  }
}
