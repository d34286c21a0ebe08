import { requireSuccess, supabase } from "../commands.ts";
import type { DeclaredFunctions } from "../configuration.ts";
import type { Deployment } from "../deployment.ts";
import { failureOf } from "../failure.ts";

/** Deploys the functions, bundled by the platform: no Docker is needed. */
export async function deployFunctions({ target, api, report }: Deployment, functions: DeclaredFunctions) {
  const names = functions.map(({ name }) => name);
  const args = ["functions", "deploy", ...names, "--use-api", `--remote=${target.ref}`, "--yes"];
  const { stderr } = requireSuccess(await supabase(target, args));
  const problems = stderr.split("\n").filter((line) => line.includes("failed to read file"));
  const deployed = await api.functions();
  for (const name of names) {
    const found = deployed.find(({ slug }) => slug === name);
    if (found?.status !== "ACTIVE") problems.push(`${name} is ${found?.status ?? "not deployed"}.`);
    else if (found.verify_jwt !== false) problems.push(`${name} verifies tokens at the gateway, which it does itself.`);
    else report(`${name}: version ${found.version}`);
  }
  if (problems.length) throw failureOf("The functions are not deployed as a whole:", problems);
}
