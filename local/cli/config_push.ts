/**
 * npm run config:push -- --ref REF [--captcha] [--file PATH] [--dry-run] [--yes]: sends supabase/config.toml, completed
 * by supabase/production.toml, to a hosted project. The CLI shows the difference and asks for confirmation.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { completeConfig, confirmPathOf, readToml, withoutOverrides, writeWorkdir } from "../config_push/config_push.ts";
import { supabaseBinary } from "../database/supabase_cli.ts";
import { projectPaths } from "../host/project.ts";
import { StartupError } from "../host/startup_error.ts";
import { runCommand } from "./run_command.ts";

const USAGE = "Usage: npm run config:push -- --ref <project ref> [--captcha] [--file supabase/production.toml] " +
  "[--dry-run] [--yes]";

const paths = projectPaths();
await runCommand(() => push(Deno.args));

async function push(args: string[]): Promise<number> {
  const { ref, captcha, file, isDryRun, yes } = readArguments(args);
  const hint = "Copy supabase/production.example.toml there and fill it in.";
  const production = await readToml(file, hint);
  const config = completeConfig(await readToml(paths.config), production, {
    captcha,
    env: Deno.env.toObject(),
  });
  const folder = await Deno.makeTempDir({ prefix: "config-push-" });
  try {
    await writeWorkdir(folder, config, paths.templates, confirmPathOf(production));
    const { code } = await new Deno.Command(supabaseBinary, {
      args: ["config", isDryRun ? "diff" : "push", `--remote=${ref}`, "--workdir", folder, ...yes ? ["--yes"] : []],
      cwd: folder, // the CLI would read the .env files of another folder
      clearEnv: true,
      env: { ...withoutOverrides(Deno.env.toObject(), config), DO_NOT_TRACK: "1" },
      stdin: "inherit",
    }).spawn().status;
    return code;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function readArguments(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        ref: { type: "string" },
        captcha: { type: "boolean", default: false },
        file: { type: "string", default: paths.production },
        "dry-run": { type: "boolean", default: false },
        yes: { type: "boolean", default: false },
      },
    });
    if (!/^[a-z]{20}$/.test(values.ref ?? "")) {
      throw new Error("--ref must be the project's reference: 20 lowercase letters.");
    }
    return {
      ref: values.ref!,
      captcha: values.captcha!,
      file: resolve(values.file!),
      isDryRun: values["dry-run"]!,
      yes: values.yes!,
    };
  } catch (error) {
    throw new StartupError(`${(error as Error).message}\n${USAGE}`);
  }
}
