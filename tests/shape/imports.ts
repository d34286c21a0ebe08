// What the files of the repository import.
import { dirname, join } from "node:path";
import { type SourceFile, sourceFiles } from "../source_files.ts";

export interface Import {
  file: string;
  specifier: string;
  /** From the repository's root; undefined for a package. */
  path?: string;
  /** With the module that imports it: neither a type nor on demand. */
  isEager: boolean;
}

/** Imports and exports of values and of types, and dynamic imports. */
const IMPORTS = [
  /^import\s(?:[^;"'=]*?\sfrom\s+)?"([^"]+)"/gm,
  /^export\s[^;"'=]*?\sfrom\s+"([^"]+)"/gm,
  /\bimport\(\s*"([^"]+)"/g,
];
/** Files that a module reads beside itself. */
const PATHS = [/\bimport\.meta\.dirname!?, "([^"]+)"/g, /\bnew URL\("([^"]+)", import\.meta\.url\)/g];

function importsOf({ path: file, text }: SourceFile): Import[] {
  const matches = (patterns: RegExp[]) =>
    patterns.flatMap((p) => [...text.matchAll(p)]).map(([statement, specifier]) => ({
      file,
      specifier,
      isEager: /^(?:import|export)\s(?!type\s)/.test(statement),
    }));
  const withPath = (found: Import) => ({ ...found, path: join(dirname(file), found.specifier) });
  return [
    ...matches(IMPORTS).map((found) => found.specifier.startsWith(".") ? withPath(found) : found),
    ...matches(PATHS).map(withPath),
  ];
}

/** These nodes, and those to which `next` leads from them, directly or not. */
export function reachable<T>(from: Iterable<T>, next: (node: T) => Iterable<T>): Set<T> {
  const found = new Set(from);
  for (const node of found) for (const other of next(node)) found.add(other); // visits what it adds
  return found;
}

/** The imports of each file of these folders. */
export function importsBelow(...folders: string[]): Map<string, Import[]> {
  return new Map(sourceFiles(folders, /\.(?:ts|js|mjs)$/).map((file) => [file.path, importsOf(file)]));
}
