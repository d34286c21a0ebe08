/** The functions' environment, read once at start. Errors name each missing or malformed variable. */
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

const apiKeys = jsonOf(z.object({ default: z.string().min(1) }).catchall(z.string()));

/** The order of P-256. */
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Whether this is a private key of P-256, as 32 bytes in base64url. Deno 2.1 would crash with any other. */
function isP256PrivateKey(text: string): boolean {
  const key = BigInt(`0x${Buffer.from(text, "base64url").toString("hex") || "0"}`);
  return /^[\w-]{43}$/.test(text) && key > 0n && key < P256_ORDER;
}

/** The base of an API, without a trailing slash. */
const apiUrl = (defaultUrl: string) =>
  z.url({ protocol: /^https?$/ }).default(defaultUrl).transform((url) => url.replace(/\/$/, ""));

const Environment = z.object({
  // Set by the platform
  SUPABASE_URL: z.url().transform((url) => url.replace(/\/$/, "")),
  SUPABASE_DB_URL: z.string().min(1),
  SUPABASE_PUBLISHABLE_KEYS: apiKeys,
  SUPABASE_SECRET_KEYS: apiKeys,
  SUPABASE_JWKS: jsonOf(z.object({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) })),
  // Set by the installation
  DATABASE_POOLER_URL: z.string().min(1).optional(),
  WORKER_SECRET: z.string().min(16),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  RESEND_API_KEY: z.string().regex(/^re_\w+$/, "must be an API key of Resend").optional(),
  RESEND_API_URL: z.url({ protocol: /^https?$/ }).default("https://api.resend.com"),
  MAIL_FROM: z.string().regex(
    /^[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$/,
    "must be an email address, such as Castbase <noreply@example.com>",
  )
    .optional(),
  RESEND_WEBHOOK_SECRET: z.string().regex(
    /^whsec_([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    "must be the signing secret of a webhook of Resend",
  ).optional(),
  TRUSTED_PROXY_HOPS: z.string().regex(/^[1-9]$/, "must be a number from 1 to 9").default("1").transform(Number),
  STRIPE_SECRET_KEY: z.string().regex(/^[sr]k_\w+$/, "must be a secret or restricted key of Stripe").optional(),
  STRIPE_WEBHOOK_SECRET: z.string().regex(/^whsec_\S+$/, "must be the signing secret of a webhook endpoint").optional(),
  STRIPE_API_URL: z.url({ protocol: /^https?$/ }).optional(),
  VAPID_PRIVATE_KEY: z.string().refine(isP256PrivateKey, "must be a private key from `npm run vapid`").optional(),
  VAPID_SUBJECT: z.string().regex(
    /^mailto:[^@\s]+@[^@\s]+$|^https:\/\/[^\s/]+\S*$/,
    "must be mailto:<email address> or an https URL, by which push services can reach the operator",
  ).optional(),
  PODPING_AUTHORIZATION: z.string().regex(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/, "must be the value of a header").optional(),
  CDN_PURGE_TOKEN: z.string().regex(/^[\x21-\x7e]+$/, "must be an API token of the CDN").optional(),
  GOOGLE_CLIENT_ID: z.string().min(1).optional(),
  GOOGLE_CLIENT_SECRET: z.string().min(1).optional(),
  GOOGLE_ACCOUNTS_URL: apiUrl("https://accounts.google.com"),
  GOOGLE_OAUTH_URL: apiUrl("https://oauth2.googleapis.com"),
  GOOGLE_CALENDAR_API_URL: apiUrl("https://www.googleapis.com/calendar/v3"),
  MICROSOFT_CLIENT_ID: z.string().min(1).optional(),
  MICROSOFT_CLIENT_SECRET: z.string().min(1).optional(),
  MICROSOFT_LOGIN_URL: apiUrl("https://login.microsoftonline.com"),
  MICROSOFT_GRAPH_URL: apiUrl("https://graph.microsoft.com/v1.0"),
});

function readEnvironment() {
  const { data, error } = Environment.safeParse(Deno.env.toObject());
  if (data) return data;
  const problems = error.issues.map(({ path, message }) => {
    const name = String(path[0]);
    return Deno.env.get(name) === undefined
      ? `${name} is not set`
      : `${[name, ...path.slice(1)].join(".")}: ${message}`;
  });
  throw new Error(`Cannot start: ${problems.join("; ")}`);
}

const variables = readEnvironment();

export const env = {
  /** Internal URL of the project's services. Never build a public URL from it; settings hold those. */
  url: variables.SUPABASE_URL,
  databaseUrl: variables.DATABASE_POOLER_URL ?? variables.SUPABASE_DB_URL,
  /** A transaction pooler sends each statement to another session, which lacks prepared statements. */
  usesPooler: variables.DATABASE_POOLER_URL !== undefined,
  /** Public: pages call the project's services with it. */
  publishableKey: variables.SUPABASE_PUBLISHABLE_KEYS.default,
  secretKey: variables.SUPABASE_SECRET_KEYS.default,
  jwks: variables.SUPABASE_JWKS,
  workerSecret: variables.WORKER_SECRET,
  /** All optional: an installation starts without email and fails when it sends one (mail/send_email.ts). */
  smtpUrl: variables.SMTP_URL,
  resendApiKey: variables.RESEND_API_KEY,
  resendApiUrl: variables.RESEND_API_URL,
  mailFrom: variables.MAIL_FROM,
  /** Optional: without it, the webhook of Resend returns 500. */
  resendWebhookSecret: variables.RESEND_WEBHOOK_SECRET,
  /** Proxies between clients and the functions, of which each appends to X-Forwarded-For. */
  trustedProxyHops: variables.TRUSTED_PROXY_HOPS,
  /** All optional: an installation starts without Stripe and fails when it calls it (billing/stripe.ts). */
  stripeSecretKey: variables.STRIPE_SECRET_KEY,
  stripeWebhookSecret: variables.STRIPE_WEBHOOK_SECRET,
  stripeApiUrl: variables.STRIPE_API_URL,
  /** Both optional: an installation starts without push messages and fails when it sends one (push/vapid.ts). */
  vapidPrivateKey: variables.VAPID_PRIVATE_KEY,
  vapidSubject: variables.VAPID_SUBJECT,
  /** Optional: the header Authorization of requests to podping_url. */
  podpingAuthorization: variables.PODPING_AUTHORIZATION,
  /** Optional: the API token of requests to cdn_purge_url. */
  cdnPurgeToken: variables.CDN_PURGE_TOKEN,
  /** Both of a provider optional: without them, its calendars cannot be connected (calendars/accounts/oauth.ts). */
  googleClientId: variables.GOOGLE_CLIENT_ID,
  googleClientSecret: variables.GOOGLE_CLIENT_SECRET,
  googleAccountsUrl: variables.GOOGLE_ACCOUNTS_URL,
  googleOauthUrl: variables.GOOGLE_OAUTH_URL,
  googleCalendarApiUrl: variables.GOOGLE_CALENDAR_API_URL,
  microsoftClientId: variables.MICROSOFT_CLIENT_ID,
  microsoftClientSecret: variables.MICROSOFT_CLIENT_SECRET,
  microsoftLoginUrl: variables.MICROSOFT_LOGIN_URL,
  microsoftGraphUrl: variables.MICROSOFT_GRAPH_URL,
};
