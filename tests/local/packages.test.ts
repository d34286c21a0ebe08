// What `npm ci` installs is the same for everyone, on every machine that the stack runs on.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../../local/project.ts";

const read = async (name: string) => JSON.parse(await Deno.readTextFile(join(repository, name)));
const { dependencies, devDependencies } = await read("package.json");
const { packages } = await read("package-lock.json") as {
  packages: Record<string, { version?: string; resolved?: string; optionalDependencies?: Record<string, string> }>;
};

Deno.test("every version is exact, and deno.json names the same ones", async () => {
  const versions: Record<string, string> = { ...dependencies, ...devDependencies };
  for (const [name, version] of Object.entries(versions)) assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
  const { imports } = await read("deno.json");
  for (const [name, target] of Object.entries<string>(imports)) {
    const [, mapped, version] = /^npm:\/?((?:@[^/]+\/)?[^@/]+)@([^/]+)/.exec(target) ?? [];
    if (target.startsWith("npm:")) assert.equal(version, versions[mapped], name);
  }
});

Deno.test("the lock file names no registry, and the packages of every platform", () => {
  for (const [at, { resolved, optionalDependencies }] of Object.entries(packages)) {
    assert.equal(resolved, undefined, at);
    for (const name of Object.keys(optionalDependencies ?? {})) {
      assert.ok(packages[`node_modules/${name}`] ?? packages[`${at}/node_modules/${name}`], `${at} wants ${name}`);
    }
  }
});
