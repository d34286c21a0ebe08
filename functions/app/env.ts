/** The functions' environment, read once when a function starts: a missing or malformed variable names itself. */
import { z } from "zod";

const jsonOf = <T extends z.ZodType>(schema: T) =>
  z.string().transform((text, ctx) => {
    try {
      return JSON.parse(text);
    } catch {
      ctx.addIssue({ code: "custom", message: "must be JSON" });
      return z.NEVER;
    }
  }).pipe(schema);

const apiKeys = jsonOf(z.object({ default: z.string().min(1) }).catchall(z.string()));

const Environment = z.object({
  // The platform's
  SUPABASE_URL: z.url().transform((url) => url.replace(/\/$/, "")),
  SUPABASE_DB_URL: z.string().min(1),
  SUPABASE_PUBLISHABLE_KEYS: apiKeys,
  SUPABASE_SECRET_KEYS: apiKeys,
  SUPABASE_JWKS: jsonOf(z.object({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) })),
  // Ours
  DATABASE_POOLER_URL: z.string().min(1).optional(),
  WORKER_SECRET: z.string().min(16),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  MAIL_FROM: z.string().regex(
    /^[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$/,
    "must be an address: Name <a@b>",
  )
    .optional(),
});

function readEnvironment() {
  const { data, error } = Environment.safeParse(Deno.env.toObject());
  if (data) return data;
  const what = error.issues.map(({ path, message }) => {
    const name = String(path[0]);
    return Deno.env.get(name) === undefined
      ? `${name} is not set`
      : `${[name, ...path.slice(1)].join(".")}: ${message}`;
  });
  throw new Error(`The functions cannot start: ${what.join("; ")}`);
}

const variables = readEnvironment();

export const env = {
  /** Where this project's own services answer. Internal: never build a public URL from it (DESIGN.md, URLs). */
  url: variables.SUPABASE_URL,
  databaseUrl: variables.DATABASE_POOLER_URL ?? variables.SUPABASE_DB_URL,
  /** A transaction pooler hands each statement to another session, where the prepared one does not exist. */
  pooled: variables.DATABASE_POOLER_URL !== undefined,
  secretKey: variables.SUPABASE_SECRET_KEYS.default,
  jwks: variables.SUPABASE_JWKS,
  workerSecret: variables.WORKER_SECRET,
  /** Both optional: an installation starts without mail, and says what is missing when one is to be sent (mail.ts). */
  smtpUrl: variables.SMTP_URL,
  mailFrom: variables.MAIL_FROM,
};
