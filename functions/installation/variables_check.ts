/** The functions' variables as a check: which of those that belong together are missing or malformed. */
import type { Finding, InstallationReport } from "../../types/health.ts";
import { problemWith, type VariableName, Variables } from "../runtime/variables.ts";

type Environment = Record<string, string | undefined>;

/** Variables that a feature needs together. */
interface Feature {
  what: string;
  variables: VariableName[];
  /** Whether the installation wants the feature; the default is that one of its variables is set. */
  isWanted?: boolean;
}

/** Judges the environment of the functions. Values never appear in a finding. */
export function checkVariables(environment: Environment, { billing, calendars }: InstallationReport): Finding[] {
  const isSet = (name: VariableName) => Boolean(environment[name]);
  const names = Object.keys(Variables.shape) as VariableName[];
  const malformed = names.filter(isSet).flatMap((name) => {
    const problem = problemWith(name, environment[name]!);
    return problem ? [`${name} ${problem}`] : [];
  });
  const findings: Finding[] = [];
  if (malformed.length > 0) {
    findings.push({
      check: "variables",
      level: "problem",
      message: malformed.join("; "),
      remedy: "Correct the variables of the functions (docs/operating.md, Secrets)",
    });
  }
  const hasCalendarsOf = (provider: string) => calendars.some((one) => one.provider === provider);
  const features: Feature[] = [
    { what: "the worker cannot be woken", variables: ["WORKER_SECRET"], isWanted: true },
    { what: "emails cannot be sent", variables: ["MAIL_FROM"], isWanted: true },
    { what: "push messages cannot be sent", variables: ["VAPID_PRIVATE_KEY", "VAPID_SUBJECT"] },
    {
      what: "plans cannot be sold",
      variables: ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
      isWanted: billing.offeredPrices > 0 || isSet("STRIPE_SECRET_KEY"),
    },
    {
      what: "calendars of Google cannot be connected",
      variables: ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"],
      isWanted: hasCalendarsOf("google") || isSet("GOOGLE_CLIENT_ID"),
    },
    {
      what: "calendars of Microsoft cannot be connected",
      variables: ["MICROSOFT_CLIENT_ID", "MICROSOFT_CLIENT_SECRET"],
      isWanted: hasCalendarsOf("microsoft") || isSet("MICROSOFT_CLIENT_ID"),
    },
  ];
  for (const { what, variables, isWanted = variables.some(isSet) } of features) {
    const missing = variables.filter((name) => !isSet(name));
    if (isWanted && missing.length > 0) findings.push(lacking(missing.join(" and "), what));
  }
  if (!isSet("RESEND_API_KEY") && !isSet("SMTP_URL")) {
    findings.push(lacking("RESEND_API_KEY or SMTP_URL", "emails cannot be sent"));
  } else if (isSet("RESEND_API_KEY") && !isSet("RESEND_WEBHOOK_SECRET")) {
    findings.push(lacking("RESEND_WEBHOOK_SECRET", "bounces and complaints stay unknown", "warning"));
  }
  if (findings.length > 0) return findings;
  return [{ check: "variables", level: "ok", message: `${names.filter(isSet).length} are set` }];
}

const lacking = (names: string, effect: string, level: Finding["level"] = "problem"): Finding => ({
  check: "variables",
  level,
  message: `${names} is not set: ${effect}`,
  remedy: "Set it for the functions (docs/operating.md, Secrets)",
});
