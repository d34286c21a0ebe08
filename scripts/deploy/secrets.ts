// The secrets of the functions, which a deployment checks and sets.
import { PLATFORM_PREFIX, problemWith, type VariableName, Variables } from "../../functions/runtime/variables.ts";

/** Features and their secrets: all of a feature or none. */
export const FEATURES: Record<string, string[]> = {
  "payments (Stripe)": ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
  "push messages": ["VAPID_PRIVATE_KEY", "VAPID_SUBJECT"],
  "calendars of Google": ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"],
  "calendars of Microsoft": ["MICROSOFT_CLIENT_ID", "MICROSOFT_CLIENT_SECRET"],
};

/** Emails need a sender and one of these. */
export const EMAIL_SENDER = "MAIL_FROM", EMAIL_SERVICES = ["RESEND_API_KEY", "SMTP_URL"];

/** Without it, connections to the database are not encrypted. */
const AUTHORITY = "DATABASE_CA";

export const SECRET_NAMES = (Object.keys(Variables.shape) as VariableName[])
  .filter((name) => !name.startsWith(PLATFORM_PREFIX));

/** The environment without what only a deployment needs. */
export const withoutSecrets = (env: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !(name in Variables.shape) && !/^SUPABASE_|_(SECRET|PASSWORD)$/.test(name)),
  );

/** What is wrong with the values: the functions would ignore them. */
export const malformedSecrets = (env: Record<string, string>): string[] =>
  SECRET_NAMES.filter((name) => env[name]).flatMap((name) => {
    const problem = problemWith(name, env[name]);
    return problem ? `${name} ${problem}` : [];
  });

/** What is wrong with the secrets that will be set, and what will not work. */
export function checkNames(isSet: (name: string) => boolean): { problems: string[]; warnings: string[] } {
  const problems: string[] = [], warnings: string[] = [];
  for (const [feature, names] of Object.entries(FEATURES)) {
    const missing = names.filter((name) => !isSet(name));
    if (missing.length === names.length) warnings.push(`No ${feature}: ${names.join(" and ")} are not set.`);
    else problems.push(...missing.map((name) => `${name} is missing, which ${feature} need too.`));
  }
  const services = EMAIL_SERVICES.filter(isSet);
  if (services.length && !isSet(EMAIL_SENDER)) problems.push(`${EMAIL_SENDER} is missing, which ${services[0]} needs.`);
  if (!isSet(AUTHORITY)) {
    warnings.push(`Connections of the functions to the database are not encrypted: ${AUTHORITY} is not set.`);
  }
  if (!services.length) warnings.push(`No emails: neither ${EMAIL_SERVICES.join(" nor ")} is set.`);
  return { problems, warnings };
}
