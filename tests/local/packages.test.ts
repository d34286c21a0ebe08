// `npm ci` installs the same packages on every machine that the stack runs on.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { sourceFiles } from "../source_files.ts";

interface Manifest {
  name: string;
  version: string;
  workspaces?: string[];
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

const read = async (name: string) => JSON.parse(await Deno.readTextFile(join(repository, name)));
const manifests: Manifest[] = [await read("package.json"), await read("local/package.json")];
const [root, local] = manifests.map(({ dependencies, devDependencies }) => ({ ...dependencies, ...devDependencies }));
const { packages } = await read("package-lock.json") as {
  packages: Record<
    string,
    { version?: string; resolved?: string; link?: boolean; optionalDependencies?: Record<string, string> }
  >;
};

Deno.test("package.json and local/package.json name exact versions, and the same one for a package of both", () => {
  for (const [name, version] of [root, local].flatMap(Object.entries<string>)) {
    assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
  }
  for (const name of Object.keys(local)) assert.equal(root[name] ?? local[name], local[name], name);
});

Deno.test("deno.json and npm: specifiers name the versions of package.json", async () => {
  const { imports } = await read("deno.json");
  const specifiers = Object.values<string>(imports).filter((target) => target.startsWith("npm:"));
  for (const { text } of sourceFiles(["functions", "local", "scripts", "tests", "types", "bench"], /\.ts$/)) {
    specifiers.push(...[...text.matchAll(/"(npm:[^"$]+)"/g)].map(([, found]) => found));
  }
  assert.ok(specifiers.length > 8);
  for (const specifier of specifiers) {
    const [, name, version] = /^npm:\/?((?:@[^/]+\/)?[^@/]+)(?:@([^/]+))?/.exec(specifier)!;
    assert.ok(name in root || name in local, specifier);
    if (version) assert.equal(version, root[name] ?? local[name], specifier);
  }
});

Deno.test("npm installs the workspace's packages into the root's node_modules", () => {
  assert.deepEqual(manifests[0].workspaces, ["local"]);
  assert.deepEqual(packages[`node_modules/${manifests[1].name}`], { resolved: "local", link: true });
  assert.deepEqual(Object.keys(packages).filter((path) => path.startsWith("local/")), []);
});

Deno.test("the lock file names no registry, and contains the packages of every platform", () => {
  for (const [path, { resolved, link, optionalDependencies }] of Object.entries(packages)) {
    if (!link) assert.equal(resolved, undefined, path);
    for (const name of Object.keys(optionalDependencies ?? {})) {
      assert.ok(packages[`node_modules/${name}`] ?? packages[`${path}/node_modules/${name}`], `${path} wants ${name}`);
    }
  }
});
