/** The installation that an operator's command is about: of --remote, of the environment, or the local stack. */
import postgres from "postgres";
import { readStackStatus } from "./local_stack.ts";

export interface Installation {
  /** As postgres. */
  sql: postgres.Sql;
  host: string;
  isLocal: boolean;
}

/** What a command was called with, without --remote and its value. */
export interface CommandLine {
  remote?: string;
  args: string[];
}

export function readCommandLine(all: readonly string[]): CommandLine {
  const args = [...all], at = args.findIndex((arg) => arg === "--remote" || arg.startsWith("--remote="));
  if (at < 0) return { args };
  const [option] = args.splice(at, 1);
  const remote = option.includes("=") ? option.slice(option.indexOf("=") + 1) : args.splice(at, 1)[0];
  return { remote: remote ?? "", args };
}

/** Connects as the owner of the database. Exits with 2 if there is none, because the command has not looked. */
export async function openInstallation({ remote }: CommandLine): Promise<Installation & AsyncDisposable> {
  const given = remote || Deno.env.get("SUPABASE_DB_URL");
  if (remote === "" && !given) stop("--remote needs a value, or SUPABASE_DB_URL in the environment: postgresql://…");
  const url = given ?? await localUrl();
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) stop("The database's URL must begin with postgresql://");
  const sql = postgres(url, {
    max: 1,
    prepare: false, // through a transaction pooler, too
    connect_timeout: 10,
    onnotice: () => {},
    connection: { application_name: "castbase operator" },
  });
  return {
    sql,
    host: new URL(url).host,
    isLocal: !given,
    [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }),
  };
}

async function localUrl(): Promise<string> {
  const status = await readStackStatus();
  if ("reason" in status) stop(`${status.reason} Or name a database with --remote postgresql://…`);
  return status.stack.DB_URL;
}

/** The command cannot do what it is for. */
export function stop(reason: string): never {
  console.error(reason);
  Deno.exit(2);
}
