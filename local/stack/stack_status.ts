// The status of a running stack, as npm start and npm run status show it.
import type { RunningStack } from "../host/data_folder.ts";
import { readOptionalText } from "../host/optional_file.ts";
import postgres, { connected } from "../postgres/client.ts";
import { projectPaths } from "../host/project.ts";
import { StartupError } from "../host/startup_error.ts";

interface StatusLine {
  label: string;
  /** The name in --json and --env, after those of `supabase status`. Lines without one are for readers only. */
  variable: string | null;
  value: string;
}

/** The stack's own lines, and those of the project. */
export async function readStatus(stack: Omit<RunningStack, "pid">): Promise<StatusLine[][]> {
  const own = [
    { label: "API URL", variable: "API_URL", value: stack.url },
    { label: "Functions URL", variable: "FUNCTIONS_URL", value: stack.functionsUrl },
    { label: "DB URL", variable: "DB_URL", value: stack.dbUrl },
    { label: "Mail inbox", variable: "MAIL_URL", value: stack.mailUrl },
    { label: "SMTP URL", variable: "SMTP_URL", value: stack.smtpUrl },
    { label: "Publishable key", variable: "PUBLISHABLE_KEY", value: stack.publishableKey },
    { label: "Secret key", variable: "SECRET_KEY", value: stack.secretKey },
  ];
  return [own, await projectLines(stack.dbUrl)].filter(({ length }) => length);
}

/** Runs supabase/local/status.sql, if the project has it. A migrated schema may lack what the file selects. */
async function projectLines(dbUrl: string): Promise<StatusLine[]> {
  const query = await readOptionalText(projectPaths().statusSql);
  if (query === undefined) return [];
  try {
    return await connected(dbUrl, async (sql) => [...await sql.unsafe<StatusLine[]>(query)]);
  } catch (error) {
    if (error instanceof postgres.PostgresError) return [];
    if ((error as { code?: string }).code !== "ECONNREFUSED") throw error;
    throw new StartupError(
      `The stack's database does not accept connections at ${new URL(dbUrl).host}. Stop the stack and start it again.`,
    );
  }
}

export function toText(groups: StatusLine[][]): string {
  const lines = ({ label, value }: StatusLine) => `${label.padStart(18)}: ${value}`;
  return groups.map((group) => group.map(lines).join("\n")).join("\n\n");
}

export function toVariables(groups: StatusLine[][]): Record<string, string> {
  return Object.fromEntries(groups.flat().flatMap(({ variable, value }) => variable ? [[variable, value]] : []));
}

/** Variables for the shell's `eval`. */
export function toShell(groups: StatusLine[][]): string {
  return Object.entries(toVariables(groups)).map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'`)
    .join("\n");
}
