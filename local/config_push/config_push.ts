// The configuration of a hosted project: supabase/config.toml completed by supabase/production.toml.
import { join } from "node:path";
import { parse, stringify, type TomlTable } from "smol-toml";
import { seconds } from "../auth/durations.ts";
import { isPublicHost } from "./public_host.ts";
import { StartupError } from "../host/startup_error.ts";

interface PushOptions {
  /** Includes [auth.captcha], which is safe only when the front end shows the widget. */
  captcha: boolean;
  env: Record<string, string | undefined>;
}

/** The page that the links of Auth's emails open, below site_url. The templates contain this one. */
const CONFIRM_PATH = "/auth/confirm";

export const confirmPathOf = (production: TomlTable) =>
  (tableAt(production, ["front_end"]).confirm_path ?? CONFIRM_PATH) as string;

/** Merges `production` into `base`. Throws StartupError with each value that is missing, local or a placeholder. */
export function completeConfig(base: TomlTable, production: TomlTable, { captcha, env }: PushOptions): TomlTable {
  const pathProblem = isPath(tableAt(production, ["front_end"]).confirm_path);
  const problems = [
    ...missingValues(production),
    ...pathProblem ? [`front_end.confirm_path ${pathProblem}`] : [],
    ...unsafeValues(production, env),
  ];
  if (problems.length) throw new StartupError(list("The production configuration cannot be pushed:", problems));
  const config = merge(base, production);
  delete config.front_end; // not the CLI's
  delete config.settings;
  const auth = tableAt(config, ["auth"]);
  auth.site_url = String(auth.site_url).replace(/\/+$/, ""); // emails append a path
  if (!captcha) delete auth.captcha;
  return config;
}

/** The environment without SUPABASE_<TABLE>_<KEY>, which the CLI prefers to a value of the configuration. */
export function withoutOverrides(env: Record<string, string>, config: TomlTable): Record<string, string> {
  const prefixes = Object.keys(config).map((table) => `SUPABASE_${table.toUpperCase()}_`);
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !prefixes.some((prefix) => name.startsWith(prefix))),
  );
}

type Check = (value: unknown) => string | undefined;
const isText: Check = (value) => typeof value === "string" && value.trim() ? undefined : "must be a non-empty string";
const isSecret: Check = (value) =>
  isEnv(value) ? undefined : "must be env(NAME), because secrets stay in the environment";
const isFlag: Check = (value) => typeof value === "boolean" ? undefined : "must be true or false";
const isTrue: Check = (value) => value === true ? undefined : "must be true";
const isAtLeast = (min: number): Check => (value) =>
  typeof value === "number" && value >= min ? undefined : `must be a number of at least ${min}`;
const isUrl: Check = (value) =>
  typeof value === "string" && URL.canParse(value) && new URL(value).protocol === "https:"
    ? undefined
    : "must be an https URL";
/** A URL scheme of an app, or https. */
const isRedirect = (value: unknown) =>
  typeof value === "string" && /^[a-z][a-z0-9+.-]*:\/\//.test(value) && !/^http:/.test(value);
const areRedirects: Check = (value) =>
  Array.isArray(value) && value.length && value.every(isRedirect) ? undefined : "must be a list of https URLs";
const isPath: Check = (value) =>
  value === undefined || (typeof value === "string" && /^\/[\w.~/-]*$/.test(value))
    ? undefined
    : "must be a path such as /auth/confirm";
const isDuration: Check = (value) =>
  (seconds(String(value)) ?? 0) >= 30 ? undefined : "must be a duration of at least 30s, such as 1m";

/** The values that must differ from those of a development machine. */
const required: Record<string, Check> = {
  "auth.site_url": isUrl,
  "auth.additional_redirect_urls": areRedirects,
  "auth.minimum_password_length": isAtLeast(8),
  "auth.password_requirements": isText,
  "auth.rate_limit.email_sent": isAtLeast(1),
  "auth.email.max_frequency": isDuration,
  "auth.email.smtp.enabled": isTrue,
  "auth.email.smtp.host": isText,
  "auth.email.smtp.port": isAtLeast(1),
  "auth.email.smtp.user": isText,
  "auth.email.smtp.pass": isSecret,
  "auth.email.smtp.admin_email": isText,
  "auth.email.smtp.sender_name": isText,
  "auth.captcha.enabled": isFlag,
  "auth.captcha.provider": isText,
  "auth.captcha.secret": isSecret,
};

function missingValues(production: TomlTable): string[] {
  return Object.entries(required).flatMap(([path, check]) => {
    const names = path.split(".");
    const value = tableAt(production, names.slice(0, -1))[names.at(-1)!];
    const problem = value === undefined ? "is missing" : check(value);
    return problem ? [`${path} ${problem}`] : [];
  });
}

/** The host in a setting's value: of a URL, of an email address, or the value of a setting named `host`. */
function hostOf(name: string, value: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)/i.exec(value)?.[1] ??
    /^[^\s@]+@([^\s@]+)$/.exec(value)?.[1] ?? (name === "host" ? value : undefined);
}

const isEnv = (value: unknown) => typeof value === "string" && /^env\(\w+\)$/.test(value);

function unsafeValues(table: TomlTable, env: PushOptions["env"], path: string[] = []): string[] {
  return Object.entries(table).flatMap(([name, value]) => {
    const place = [...path, name];
    if (isTable(value)) return unsafeValues(value, env, place);
    const texts = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string");
    return texts.flatMap((text) => {
      const variable = /^env\((\w+)\)$/.exec(text)?.[1];
      if (variable && !env[variable]) return [`${place.join(".")} needs ${variable} in the environment`];
      if (required[place.join(".")] === isSecret) return [];
      const value = variable ? env[variable]! : text, host = hostOf(name, value); // the variable's value is not shown
      if (host === undefined || isPublicHost(host, /^(?!https?:)[^@]*:\/\//i.test(value))) return [];
      return [`${place.join(".")} names a placeholder or a local or private host: ${text}`];
    });
  });
}

function merge(base: TomlTable, over: TomlTable): TomlTable {
  const merged: TomlTable = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const below = merged[name];
    merged[name] = isTable(value) ? merge(isTable(below) ? below : {}, value) : value;
  }
  return merged;
}

function tableAt(table: TomlTable, names: string[]): TomlTable {
  return names.reduce<TomlTable>((at, name) => isTable(at[name]) ? at[name] : {}, table);
}

const isTable = (value: unknown): value is TomlTable =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

const list = (title: string, lines: string[]) => [title, ...lines.map((line) => `- ${line}`)].join("\n");

/** Reads a TOML file. Throws StartupError with its name. */
export async function readToml(file: string, hint = ""): Promise<TomlTable> {
  const text = await Deno.readTextFile(file).catch(() => {
    throw new StartupError(`${file} cannot be read. ${hint}`.trim());
  });
  try {
    return parse(text);
  } catch (error) {
    throw new StartupError(`${file} is not valid TOML: ${(error as Error).message}`);
  }
}

/** Writes a --workdir for the CLI: the completed configuration, and the templates with links to `confirmPath`. */
export async function writeWorkdir(folder: string, config: TomlTable, templates: string, confirmPath = CONFIRM_PATH) {
  const copies = join(folder, "supabase/templates");
  await Deno.mkdir(copies, { recursive: true });
  for await (const { name } of Deno.readDir(templates)) {
    const html = await Deno.readTextFile(join(templates, name));
    const linked = html.replaceAll(`{{ .SiteURL }}${CONFIRM_PATH}#`, `{{ .SiteURL }}${confirmPath}#`);
    await Deno.writeTextFile(join(copies, name), linked);
  }
  await Deno.writeTextFile(join(folder, "supabase/config.toml"), stringify(config));
}
