/** The health probes, the report of an installation, and its metrics. Responses are flat. */
import { z } from "zod";
import { Timestamp } from "./envelope.ts";

export const HealthResponse = z.strictObject({ status: z.literal("ok"), timestamp: Timestamp });

const Count = z.int().min(0);

export const FindingLevel = z.enum(["ok", "warning", "problem"]);

/** What one check found. */
export const Finding = z.strictObject({
  check: z.string().describe("What was looked at, such as `queues`"),
  level: FindingLevel.describe("`problem`: something does not work; `warning`: it will not, or only in part"),
  message: z.string(),
  remedy: z.string().optional().describe("What to do, unless the level is `ok`"),
});
export type Finding = z.infer<typeof Finding>;

/** What private.get_installation_report returns (sql/99_wiring). */
export const InstallationReport = z.strictObject({
  timestamp: Timestamp.describe("When the database wrote it, as its clock says"),
  database: z.strictObject({
    version: z.string(),
    sizeBytes: Count,
    startedAt: Timestamp,
    maxConnections: Count,
    connections: z.array(z.strictObject({ role: z.string(), application: z.string(), count: Count })),
    oldestTransactionSeconds: Count,
    waitingForLocks: Count,
    tables: z.array(z.strictObject({ table: z.string(), bytes: Count, rows: Count, deadRows: Count }))
      .describe("The 25 largest; rows are the server's estimates"),
  }),
  migration: z.string().nullable().describe("The newest migration"),
  missingObjects: z.array(z.strictObject({ kind: z.string(), name: z.string() })),
  grants: z.strictObject({ undeclared: z.array(z.string()), missing: z.array(z.string()) }),
  queues: z.array(z.strictObject({
    queue: z.string(),
    description: z.string(),
    isPaused: z.boolean(),
    isStandalone: z.boolean(),
    retriedBy: z.string().nullable(),
    maxAttempts: Count,
    depth: Count,
    visible: Count,
    waitingSeconds: Count.describe("How long the first visible message has waited"),
    deadLetters: Count,
    totalMessages: Count.describe("Messages since the queue was created"),
  })),
  jobs: z.array(z.strictObject({
    name: z.string(),
    periodSeconds: Count.optional(),
    schedule: z.string().optional(),
    isActive: z.boolean(),
    lastRunAt: Timestamp.nullable(),
    lastError: z.string().nullable().describe("Of the last run; null if it succeeded"),
    failedAt: Timestamp.nullable().describe("The last run that failed"),
    failuresOfDay: Count.optional(),
  })),
  wakeUps: z.strictObject({
    hasSecret: z.boolean(),
    isSecretEqual: z.boolean().nullable(),
    accepted: Count.describe("Within ten minutes"),
    refused: Count,
    lastRefusal: z.string().nullable(),
  }),
  settings: z.record(z.string(), z.string().nullable()).describe("URLs and choices; null: incomplete"),
  deliveries: z.strictObject({
    open: z.array(z.strictObject({
      channel: z.string(),
      status: z.string(),
      count: Count,
      oldestDueSeconds: Count,
    })),
    ofDay: z.array(z.strictObject({ channel: z.string(), status: z.string(), count: Count })),
  }),
  imports: z.record(z.string(), Count).describe("By status: those in flight, and others of a day"),
  calendars: z.array(z.strictObject({
    provider: z.string(),
    connections: Count,
    failing: Count,
    revoked: Count,
    expired: Count.describe("Connections whose access token ended a day ago or earlier"),
  })),
  billing: z.strictObject({ offeredPrices: Count, unknownPrices: Count }),
  stoppedSenders: Count.describe("Accounts whose emails to strangers were stopped"),
  estimatedRows: z.record(z.string(), Count),
});
export type InstallationReport = z.infer<typeof InstallationReport>;

/** GET /api/health/report */
export const HealthReportQuery = z.object({
  providers: z.enum(["true", "false"]).default("false")
    .describe("Whether to sign in at the providers of email, payments and calendars, which takes seconds"),
});
export const HealthReportResponse = z.strictObject({
  status: FindingLevel.describe("The worst level of the findings"),
  version: z.string().describe("Of the functions"),
  findings: z.array(Finding),
  report: InstallationReport,
});
export type HealthReportResponse = z.infer<typeof HealthReportResponse>;
