// The project that the scenarios run against: its URL, keys and connections, from the options of npm run parity.
import { decodeJwt } from "jose";
import { parseArgs } from "node:util";
import type { RunningStack } from "../../local/host/data_folder.ts";

/** What a scenario may need. Only the URL and the secret key are required. */
export type Target = Pick<RunningStack, "url" | "secretKey"> & Partial<RunningStack>;

/** The option that gives each part of a target. */
const OPTIONS = {
  publishableKey: "a second --key with the publishable key",
  dbUrl: "--db-url",
  mailUrl: "--mail-url",
};

/** The start of the error of a scenario that needs a part that the target lacks. */
export const MISSING = "This scenario needs ";

export const USAGE = `npm run parity -- --url <URL> --key <secret key> --key <publishable key>
  [--db-url <URL>]    the database, as the role postgres
  [--mail-url <URL>]  the inbox: a Mailpit
  [paths]             scenarios below these paths only
On a loopback URL, database and inbox are expected on the CLI's ports: that of the API plus 1 and plus 3.`;

/** Reads the options. Throws with what is missing or unknown. */
export function readTarget(args: string[]): { target: Target; paths: string[] } {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      url: { type: "string" },
      key: { type: "string", multiple: true },
      "db-url": { type: "string" },
      "mail-url": { type: "string" },
    },
  });
  if (!values.url || !URL.canParse(values.url)) throw new Error("Provide the project's URL: --url http://…");
  const url = values.url.replace(/\/+$/, ""), keys = values.key ?? [];
  const secretKey = keys.find((key) => roleOf(key) === "service_role");
  const publishableKey = keys.find((key) => roleOf(key) === "anon");
  if (!secretKey) throw new Error("Provide the project's secret key: --key sb_secret_…, or the service_role key.");
  const { dbUrl = values["db-url"], mailUrl = values["mail-url"] } = localServices(new URL(url), values);
  return { target: { url, secretKey, ...defined({ publishableKey, dbUrl, mailUrl }) }, paths: positionals };
}

/** The role of an API key: of its prefix, or of the token that keys used to be. */
function roleOf(key: string): unknown {
  if (key.startsWith("sb_secret_")) return "service_role";
  if (key.startsWith("sb_publishable_")) return "anon";
  try {
    return decodeJwt(key).role;
  } catch {
    throw new Error("A --key is neither a publishable, a secret, an anon nor a service_role key.");
  }
}

function localServices({ hostname, port }: URL, given: { "db-url"?: string; "mail-url"?: string }) {
  if (!["127.0.0.1", "localhost"].includes(hostname) || !port) return {};
  return {
    dbUrl: given["db-url"] ?? `postgresql://postgres:postgres@${hostname}:${Number(port) + 1}/postgres`,
    mailUrl: given["mail-url"] ?? `http://${hostname}:${Number(port) + 3}`,
  };
}

const defined = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;

/** A target whose missing parts throw when a scenario reads them, so that the others still run. */
export function demandParts(target: Partial<RunningStack>): RunningStack {
  for (const [part, option] of Object.entries(OPTIONS)) {
    if (part in target) continue;
    Object.defineProperty(target, part, {
      get(): never {
        throw new Error(`${MISSING}${option}.`);
      },
    });
  }
  return target as RunningStack;
}
