// The last release, as Git knows it. Its migrations may have run anywhere, so they never change.
import { dirname, relative } from "node:path";
import type { ProjectPaths } from "../host/project.ts";
import { migrationFiles, versionOf } from "./migrations.ts";

export interface Release {
  /** The tag: `v` and the version. */
  tag: string;
  /** The names of its migration files. */
  migrations: string[];
  /** The names of the functions of schema `private` that its back end calls. */
  serviceFunctions: string[];
}

type Sources = Pick<ProjectPaths, "folder" | "migrations" | "serviceFunctions">;

export const NO_RELEASE = "No tag v<version> in Git, so the rules for migrations after a release do not apply.";

/** The last release before the commit that is checked out; undefined without one, without its tag and without Git. */
export async function lastRelease({ folder, migrations, serviceFunctions }: Sources): Promise<Release | undefined> {
  const tag = (await git(folder, "describe", "--tags", "--abbrev=0", "--match=v[0-9]*"))?.trim();
  if (!tag) return undefined;
  const files = await git(folder, "ls-tree", "--name-only", tag, `${relative(folder, migrations)}/`) ?? "";
  const calls = await git(folder, "show", `${tag}:./${relative(folder, serviceFunctions)}`) ?? "";
  return {
    tag,
    migrations: files.split("\n").flatMap((path) => path.endsWith(".sql") ? path.split("/").at(-1)! : []),
    serviceFunctions: [...calls.matchAll(/^ {2}(\w+): \{/gm)].map(([, name]) => name),
  };
}

/** The migration files that are newer than the release, in the order in which they run. */
export async function newMigrations({ migrations }: Pick<Sources, "migrations">, release: Release): Promise<string[]> {
  return (await migrationFiles(migrations)).filter((file) => !release.migrations.includes(file));
}

/** Says which released files have changed, and which new ones would run before them. */
export async function findReleasedChanges(sources: Sources, release: Release): Promise<string[]> {
  const path = relative(sources.folder, sources.migrations);
  const differences = await git(
    ...[
      sources.folder,
      "diff",
      "--name-only",
      "--no-renames",
      "--relative",
      "--diff-filter=a",
      release.tag,
      "--",
      path,
    ] as const,
  );
  const last = release.migrations.map(versionOf).sort().at(-1) ?? "";
  const early = (await newMigrations(sources, release)).filter((file) => versionOf(file) <= last);
  return [
    ...(differences ?? "").split("\n").filter(Boolean).map((file) =>
      `${file} is part of ${release.tag} and never changes; restore it: git checkout ${release.tag} -- ${file}`
    ),
    ...early.map((file) => `${path}/${file} would run before migrations of ${release.tag}; give it a later time`),
  ];
}

/** What a git command prints in a project; undefined if it fails, or Git is not installed. */
async function git(folder: string, ...args: string[]): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command("git", {
      args: ["-C", folder, ...args],
      env: { GIT_CEILING_DIRECTORIES: dirname(folder) }, // not the repository of a folder around this project
      stdin: "null",
      stderr: "null",
    }).output();
    return success ? new TextDecoder().decode(stdout) : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
