/**
 * The variables of the functions' environment: their form, and what they are for. `env.ts` reads them, the deployment
 * checks them, and docs/operating.md lists those that an installation sets.
 */
import { Buffer } from "node:buffer";
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

const apiKeysByName = jsonOf(
  z.record(z.string(), z.string().min(1)).refine((keys) => Object.keys(keys).length > 0, "has no key"),
).optional();
/** Without parameters, which belong to other drivers (`pgbouncer=true`) and which poolers would refuse. */
const databaseUrl = z.url({ protocol: /^postgres(ql)?$/ }).refine(hasReadablePassword, "must encode % as %25")
  .transform(withoutParameters).optional();

function hasReadablePassword(url: string): boolean {
  try {
    const { username, password } = new URL(url);
    return Boolean(decodeURIComponent(username + password) || true);
  } catch {
    return false;
  }
}

/** Tests name their connections. */
function withoutParameters(text: string): string {
  const url = new URL(text), name = url.searchParams.get("application_name");
  url.search = name ? `?application_name=${encodeURIComponent(name)}` : "";
  return url.href;
}
const secret = z.string().min(16, "must have at least 16 characters").optional();

/** The order of P-256. */
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Whether this is a private key of P-256, as 32 bytes in base64url. Deno 2.1 would crash with any other. */
function isP256PrivateKey(text: string): boolean {
  if (!/^[\w-]{43}$/.test(text)) return false; // Buffer throws on other lengths
  const key = BigInt(`0x${Buffer.from(text, "base64url").toString("hex")}`);
  return key > 0n && key < P256_ORDER;
}

/** Whether a subject names a domain of the internet, and not that of the example that `npm run vapid` prints. */
function isOnInternet(subject: string): boolean {
  const url = subject.replace(/^mailto:.*@/, "https://");
  const { hostname } = URL.canParse(url) ? new URL(url) : { hostname: "" };
  return /\.[^.]+$/.test(hostname) &&
    !/(^|\.)(localhost|local|internal|home\.arpa|example\.(com|net|org))$/.test(hostname);
}

const vapidPrivateKey = z.string().refine(isP256PrivateKey, "must be a private key from `npm run vapid`").optional();

/** The base of an API, without a trailing slash. */
const apiUrl = (defaultUrl: string) =>
  z.url({ protocol: /^https?$/ }).default(defaultUrl).transform((url) => url.replace(/\/$/, ""))
    .describe("Replaces the provider's address");

/** Set by the platform; the others by the installation. */
export const PLATFORM_PREFIX = "SUPABASE_";

export const Variables = z.object({
  SUPABASE_URL: z.url().transform((url) => url.replace(/\/$/, ""))
    .describe("Internal URL of the project's services. Never build a public URL from it; settings hold those."),
  SUPABASE_DB_URL: databaseUrl.describe("The database, without a pooler"),
  SUPABASE_PUBLISHABLE_KEYS: apiKeysByName.describe("Keys with which everyone may call the project's services"),
  SUPABASE_SECRET_KEYS: apiKeysByName.describe("Keys that act as the service"),
  SUPABASE_JWKS: jsonOf(z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })).default({ keys: [] })
    .describe("Keys of users' tokens; none in a project that signs with the older shared secret"),

  WORKER_SECRET: secret.describe("The database wakes the worker with it, and tokens in emails derive from it"),
  MONITORING_SECRET: secret.describe("Reads `/api/health/report` and `/api/metrics`, which are closed without it"),
  PREVIOUS_WORKER_SECRET: secret.describe("Accepted beside `WORKER_SECRET` while one replaces another"),
  DATABASE_POOLER_URL: databaseUrl.describe("The transaction pooler; without it, functions connect directly"),
  DATABASE_FALLBACK_URL: databaseUrl.describe("Tried while the database refuses the other URL, whose password changes"),
  DATABASE_CA: z.string().regex(/^-----BEGIN CERTIFICATE-----(\s|\\n)/, "must be certificates in PEM")
    .transform((pem) => pem.replaceAll("\\n", "\n")).optional()
    .describe(
      "Certificates in PEM that verify the database's (line ends may be `\\n`); connections are then encrypted",
    ),
  DATABASE_CONNECTIONS: z.string().regex(/^([2-9]|[1-4]\d|50)$/, "must be a number from 2 to 50").default("4")
    .transform(Number).describe("Connections that an isolate opens at most (default 4)"),
  PUBLISHABLE_KEY_NAME: z.string().min(1).optional()
    .describe("Which publishable API key to use while one replaces another (default: `default`, else the first)"),
  SECRET_KEY_NAME: z.string().min(1).optional()
    .describe("The same for the secret API key"),
  TRUSTED_PROXY_HOPS: z.string().regex(/^[1-9]$/, "must be a number from 1 to 9").default("1").transform(Number)
    .describe("Proxies in front of the functions, each of which appends to `X-Forwarded-For` (default 1)"),
  MAIL_FROM: z.string().regex(
    /^[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$/,
    "must be an email address, such as Castbase <noreply@example.com>",
  ).optional().describe("Sender of emails: `Night Trains <noreply@example.com>`"),
  RESEND_API_KEY: z.string().regex(/^re_\w+$/, "must be an API key of Resend").optional()
    .describe("Emails go through Resend"),
  RESEND_API_URL: z.url({ protocol: /^https?$/ }).default("https://api.resend.com").describe(
    "Replaces Resend's address",
  ),
  RESEND_WEBHOOK_SECRET: z.string().regex(
    /^whsec_([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    "must be the signing secret of a webhook of Resend",
  ).optional().describe("Signatures of Resend's events"),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional()
    .describe("The email server, without a key of Resend: `smtps://user:password@host:465`"),
  STRIPE_SECRET_KEY: z.string().regex(/^[sr]k_\w+$/, "must be a secret or restricted key of Stripe").optional()
    .describe("Calls of Stripe"),
  STRIPE_WEBHOOK_SECRET: z.string().regex(/^whsec_\S+$/, "must be the signing secret of a webhook endpoint").optional()
    .describe("Signatures of Stripe's events"),
  STRIPE_API_URL: z.url({ protocol: /^https?$/ }).optional().describe("Replaces Stripe's address"),
  VAPID_PRIVATE_KEY: vapidPrivateKey.describe("Signs push messages"),
  PREVIOUS_VAPID_PRIVATE_KEY: vapidPrivateKey
    .describe("Signs for browsers that subscribed before `VAPID_PRIVATE_KEY` replaced it"),
  VAPID_SUBJECT: z.string().regex(
    /^mailto:[^@\s]+@[^@\s]+$|^https:\/\/[^\s/]+\S*$/,
    "must be mailto:<email address> or an https URL, by which push services can reach the operator",
  ).refine(isOnInternet, "must be in a domain of yours: Apple rejects messages of localhost and .local").optional()
    .describe("Where push services reach you: `mailto:ops@example.com`"),
  PODPING_AUTHORIZATION: z.string().regex(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/, "must be the value of a header").optional()
    .describe("The header `Authorization` of requests to `podping_url`"),
  CDN_PURGE_TOKEN: z.string().regex(/^[\x21-\x7e]+$/, "must be an API token of the CDN").optional()
    .describe("The API token of requests to `cdn_purge_url`"),
  GOOGLE_CLIENT_ID: z.string().min(1).optional().describe("Calendars of Google"),
  GOOGLE_CLIENT_SECRET: z.string().min(1).optional().describe("Calendars of Google"),
  GOOGLE_ACCOUNTS_URL: apiUrl("https://accounts.google.com"),
  GOOGLE_OAUTH_URL: apiUrl("https://oauth2.googleapis.com"),
  GOOGLE_CALENDAR_API_URL: apiUrl("https://www.googleapis.com/calendar/v3"),
  MICROSOFT_CLIENT_ID: z.string().min(1).optional().describe("Calendars of Microsoft"),
  MICROSOFT_CLIENT_SECRET: z.string().min(1).optional().describe("Calendars of Microsoft"),
  MICROSOFT_LOGIN_URL: apiUrl("https://login.microsoftonline.com"),
  MICROSOFT_GRAPH_URL: apiUrl("https://graph.microsoft.com/v1.0"),
});

export type VariableName = keyof typeof Variables.shape;

/** What is wrong with a value, without the value; undefined if it has the variable's form. */
export function problemWith(name: VariableName, value: string): string | undefined {
  const issue = Variables.shape[name].safeParse(value).error?.issues[0];
  return issue && [issue.path.join("."), issue.message].filter(Boolean).join(": ");
}
