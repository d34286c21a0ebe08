/**
 * npm run config:push -- --ref REF [--captcha] [--file PATH] [--yes]: sends supabase/config.toml, completed by
 * supabase/production.toml, to a hosted project. The CLI shows the difference and asks before it writes.
 */
import { parseArgs } from "node:util";
import { join, resolve } from "node:path";
import { CannotStart } from "../cannot_start.ts";
import { completeConfig, readToml, writeWorkdir } from "../config_push.ts";
import { supabaseBinary } from "../database/supabase_cli.ts";
import { repository } from "../project.ts";

const USAGE = "Usage: npm run config:push -- --ref <project ref> [--captcha] [--file supabase/production.toml] [--yes]";

try {
  Deno.exit(await push(Deno.args));
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  console.error(error.message);
  Deno.exit(1);
}

async function push(args: string[]): Promise<number> {
  const { ref, captcha, file, yes } = readArguments(args);
  const supabase = join(repository, "supabase");
  const hint = "Copy supabase/production.example.toml there and fill it in.";
  const config = completeConfig(await readToml(join(supabase, "config.toml")), await readToml(file, hint), {
    captcha,
    env: Deno.env.toObject(),
  });
  const folder = await Deno.makeTempDir({ prefix: "castbase-config-" });
  try {
    await writeWorkdir(folder, config, supabase);
    const { code } = await new Deno.Command(supabaseBinary, {
      args: ["config", "push", `--remote=${ref}`, "--workdir", folder, ...yes ? ["--yes"] : []],
      env: { DO_NOT_TRACK: "1" },
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
        file: { type: "string", default: join(repository, "supabase/production.toml") },
        yes: { type: "boolean", default: false },
      },
    });
    if (!/^[a-z]{20}$/.test(values.ref ?? "")) {
      throw new Error("--ref takes the project's reference: 20 lowercase letters.");
    }
    return { ref: values.ref!, captcha: values.captcha!, file: resolve(values.file!), yes: values.yes! };
  } catch (error) {
    throw new CannotStart(`${(error as Error).message}\n${USAGE}`);
  }
}
