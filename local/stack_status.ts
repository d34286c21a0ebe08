// A running stack in words: for the banner of npm start and for npm run status.
import { join } from "node:path";
import postgres from "postgres";
import { CannotStart } from "../cannot_start.ts";
import type { Running } from "../data_folder.ts";
import { repository } from "../project.ts";

/** Where npm start keeps its data. */
export const dataDir = join(repository, ".data");

/** What `supabase status -o json` says, under its names, and ours beside them. */
export async function asVariables(stack: Omit<Running, "pid">): Promise<Record<string, string>> {
  const demo = await demoOf(stack.dbUrl);
  return {
    API_URL: stack.url,
    DB_URL: stack.dbUrl,
    PUBLISHABLE_KEY: stack.publishableKey,
    SECRET_KEY: stack.secretKey,
    MAIL_URL: stack.mailUrl,
    FUNCTIONS_URL: stack.functionsUrl,
    ...demo && { DEMO_FEED_URL: demo.feedUrl, DEMO_LISTEN_URL: demo.listenUrl },
  };
}

export async function asText(stack: Omit<Running, "pid">): Promise<string> {
  const demo = await demoOf(stack.dbUrl);
  return table([
    ["API URL", stack.url],
    ["Functions URL", stack.functionsUrl],
    ["DB URL", stack.dbUrl],
    ["Mail inbox", stack.mailUrl],
    ["Publishable key", stack.publishableKey],
    ["Secret key", stack.secretKey],
  ]) + (demo
    ? "\n\n" + table([
      ["Demo sign-in", "demo@castbase.test, password castbase-demo"],
      ["Demo feed", demo.feedUrl],
      ["Demo listen page", demo.listenUrl],
    ])
    : "");
}

const DEMO = "demo"; // the slug that supabase/seed.sql gives to its podcast

/** The podcast that the seed makes, while it is published. */
async function demoOf(dbUrl: string): Promise<{ feedUrl: string; listenUrl: string } | undefined> {
  const sql = postgres(dbUrl, { max: 1, onnotice: () => {}, fetch_types: false });
  try {
    const [demo] = await sql<{ feedUrl: string; listenUrl: string }[]>`
      select public.get_public_podcast(${DEMO}) #>> '{data,feedUrl}' as "feedUrl",
             public.list_public_episodes(${DEMO}) #>> '{data,0,listenUrl}' as "listenUrl"`;
    return demo?.feedUrl && demo.listenUrl ? demo : undefined;
  } catch (error) {
    if (error instanceof postgres.PostgresError) return undefined; // removed since, or of a schema without it
    if ((error as { code?: string }).code !== "ECONNREFUSED") throw error;
    throw new CannotStart(
      `The stack's database does not answer at ${new URL(dbUrl).host}: stop the stack and start it again.`,
    );
  } finally {
    await sql.end();
  }
}

export function table(rows: [name: string, value: string][]): string {
  return rows.map(([name, value]) => `${name.padStart(18)}: ${value}`).join("\n");
}
