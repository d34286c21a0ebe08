// A new hosted project, and a copy of this repository from which it is deployed.
import { startTestStack } from "../../stack.ts";
import { folderOfFile } from "../../temporary_folder.ts";
import { projectFolder } from "../../local/host/project_folder.ts";
import { projectRef, startHostedProject } from "./hosted_project.ts";
import { copyProject } from "./project_copy.ts";

/** A stack without migrations, seed and functions. */
const EMPTY_PROJECT = { "supabase/config.toml": `[storage]\nfile_size_limit = "500MiB"\n` };

export const PASSWORD = "postgres";

export async function createDeployment() {
  const stack = await startTestStack({ project: await projectFolder(EMPTY_PROJECT) });
  const hosted = await startHostedProject(stack, await folderOfFile("castbase-deployed-"));
  const copy = await copyProject();
  const fill = (example: string) => example.replaceAll("example.com", "acme-shows.com");
  const example = await copy.change("supabase/production.example.toml", (text) => text);
  await copy.change("supabase/production.toml", () => fill(example));
  await copy.change("supabase/staging.toml", () => fill(example).replaceAll("acme-shows", "staging.acme-shows"));
  const env: Record<string, string> = {
    ...hosted.env,
    SUPABASE_DB_PASSWORD: PASSWORD,
    PGSSLMODE: "disable", // the database of a stack has no TLS
    SMTP_PASSWORD: "of Auth's mail server",
    CAPTCHA_SECRET: "of Turnstile",
    SMTP_URL: stack.smtpUrl,
    MAIL_FROM: "Castbase <noreply@acme-shows.com>",
  };
  return {
    ...hosted,
    hosted,
    copy,
    env,
    mailUrl: stack.mailUrl,
    /** Runs npm run deploy on the project; `changes` are those of its environment. */
    deploy: (args: string[], changes: Record<string, string> = {}) => {
      hosted.changes.length = 0;
      return copy.deploy({ ...env, ...changes }, "--ref", projectRef, ...args);
    },
    async [Symbol.asyncDispose]() {
      await hosted[Symbol.asyncDispose]();
      await stack[Symbol.asyncDispose]();
    },
  };
}

/** The lines below a step's name in the output. */
export function linesOf(stdout: string, step: string): string[] {
  const [, lines = ""] = new RegExp(`^${step}\\n((?: .*\\n)*)`, "m").exec(stdout) ?? [];
  return lines.split("\n").filter(Boolean).map((line) => line.slice(2));
}
