// Which of the servers that a test command shares its test files need.
import { type Import, reachable } from "./shape/imports.ts";

export interface SharedServers {
  stack: boolean;
  /** The cluster that stacks and servers copy. */
  cluster: boolean;
  /** The server on which tests create databases. */
  databases: boolean;
}

/** The servers that these test files use, themselves or through what they import. */
export function sharedServersOf(files: string[], imports: Map<string, Import[]>): SharedServers {
  const loaded = reachable(
    files,
    (file) => (imports.get(file) ?? []).flatMap(({ path, isEager }) => isEager && path ? path : []),
  );
  const stack = loaded.has("tests/stack.ts"), databases = loaded.has("tests/project_cluster.ts");
  return { stack, cluster: stack || databases, databases };
}
