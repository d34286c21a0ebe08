/** Uses the credentials of the functions once, and changes nothing at the providers. */
import type { Finding } from "../../types/health.ts";
import { callStripe } from "../billing/stripe.ts";
import { CalendarError } from "../calendars/calendar_error.ts";
import { configuredProviders, providerName, refreshTokens } from "../calendars/accounts/oauth.ts";
import { checkResend } from "../mail/resend.ts";
import { checkSmtp } from "../mail/smtp.ts";
import { describeError } from "../runtime/describe_error.ts";
import { env, serviceHeaders } from "../runtime/env.ts";

/** Limit of each check. */
const TIMEOUT_MS = 8000;

interface ProviderCheck {
  check: string;
  /** Throws if the provider does not accept the credentials, or does not respond. */
  run: () => Promise<unknown>;
  remedy: string;
}

/** One finding for each provider that is configured, and for the project's own services. */
export function checkProviders(): Promise<Finding[]> {
  return Promise.all(
    providerChecks().map(async ({ check, run, remedy }): Promise<Finding> => {
      try {
        await within(run());
        return { check, level: "ok", message: "the credentials are accepted" };
      } catch (error) {
        return { check, level: "problem", message: describeError(error), remedy };
      }
    }),
  );
}

function providerChecks(): ProviderCheck[] {
  const checks: ProviderCheck[] = [
    {
      check: "storage",
      run: () => requireSuccess("/storage/v1/bucket/media"),
      remedy: "Check SECRET_KEY_NAME and the secret API keys; private.install() creates the buckets",
    },
    { check: "auth", run: () => requireSuccess("/auth/v1/health"), remedy: "Check the status of the project" },
  ];
  if (env.RESEND_API_KEY) {
    checks.push({ check: "email", run: checkResend, remedy: "Replace RESEND_API_KEY (docs/operating.md, Rotation)" });
  } else if (env.SMTP_URL) {
    checks.push({ check: "email", run: checkSmtp, remedy: "Check SMTP_URL; the platform blocks the ports 25 and 587" });
  }
  if (env.STRIPE_SECRET_KEY) {
    checks.push({
      check: "stripe",
      run: () => callStripe((stripe) => stripe.customers.list({ limit: 1 })),
      remedy: "Replace STRIPE_SECRET_KEY (docs/operating.md, Rotation)",
    });
  }
  for (const provider of configuredProviders) {
    checks.push({
      check: `calendars of ${providerName(provider)}`,
      run: () => requireKnownClient(provider),
      remedy: "Replace its client secret (docs/operating.md, Rotation); Microsoft's expire",
    });
  }
  return checks;
}

async function requireSuccess(path: string): Promise<void> {
  const response = await fetch(`${env.SUPABASE_URL}${path}`, {
    headers: serviceHeaders(),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${path} responded ${response.status}`);
}

/** A provider that knows the client rejects the token, not the client. */
async function requireKnownClient(provider: typeof configuredProviders[number]): Promise<void> {
  try {
    await refreshTokens(provider, "a token that was never issued");
  } catch (error) {
    if (!(error instanceof CalendarError && error.kind === "revoked")) throw error;
  }
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer = 0;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no response in time")), TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
