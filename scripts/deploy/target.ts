// What npm run deploy is to do, from its arguments, supabase/<environment>.env and the environment.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Failure } from "./failure.ts";
import { parseEnvFile } from "./env_file.ts";

/** The repository's folder, also through links. */
export const root = join(import.meta.dirname!, "../..");

const USAGE = "Usage: npm run deploy -- --ref <project ref> [--environment staging] [--captcha] [--dry-run] [--yes]";

export interface Target {
  ref: string;
  environment: "production" | "staging";
  /** supabase/<environment>.toml: what differs from config.toml, and settings. */
  configFile: string;
  /** The secrets: this process's environment, completed by supabase/<environment>.env. */
  env: Record<string, string>;
  /** The address of the project. */
  url: string;
  sendsCaptcha: boolean;
  isDryRun: boolean;
  isConfirmed: boolean;
}

export async function readTarget(args: string[]): Promise<Target> {
  const { ref = "", environment, captcha, "dry-run": isDryRun, yes } = readArguments(args);
  if (!/^[a-z]{20}$/.test(ref)) {
    throw new Failure(`--ref must be the project's reference: 20 lowercase letters.\n${USAGE}`);
  }
  if (environment !== "production" && environment !== "staging") {
    throw new Failure(`--environment must be production or staging.\n${USAGE}`);
  }
  const file = join(root, `supabase/${environment}.env`);
  const text = await Deno.readTextFile(file).catch(() => "");
  const env = { ...parseEnvFile(text, `supabase/${environment}.env`), ...Deno.env.toObject() };
  return {
    ref,
    environment,
    configFile: join(root, `supabase/${environment}.toml`),
    env,
    url: env.CASTBASE_PROJECT_URL ?? `https://${ref}.supabase.co`,
    sendsCaptcha: captcha!,
    isDryRun: isDryRun!,
    isConfirmed: yes!,
  };
}

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        ref: { type: "string" },
        environment: { type: "string", default: "production" },
        captcha: { type: "boolean", default: false },
        "dry-run": { type: "boolean", default: false },
        yes: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new Failure(`${(error as Error).message}\n${USAGE}`);
  }
}
