// The report of an installation without a fault.
import { InstallationReport } from "../../types/health.ts";

const AT = "2026-05-01T12:00:00.000Z";

export const healthyReport: InstallationReport = InstallationReport.parse({
  timestamp: AT,
  database: {
    version: "17.6",
    sizeBytes: 50_000_000,
    startedAt: "2026-04-01T00:00:00.000Z",
    maxConnections: 60,
    connections: [{ role: "authenticator", application: "postgrest", count: 10 }, {
      role: "postgres",
      application: "functions",
      count: 4,
    }],
    oldestTransactionSeconds: 2,
    waitingForLocks: 0,
    tables: [{ table: "public.notifications", bytes: 8_000_000, rows: 12_000, deadRows: 40 }],
  },
  migration: "20261122000000",
  missingObjects: [],
  grants: { undeclared: [], missing: [] },
  queues: ["feed_invalidation", "large_images"].map((queue) => ({
    queue,
    description: "Work",
    isPaused: false,
    isStandalone: queue === "large_images",
    retriedBy: null,
    maxAttempts: 8,
    depth: 3,
    visible: 1,
    waitingSeconds: 1,
    deadLetters: 0,
    totalMessages: 100,
  })),
  jobs: [
    {
      name: "publish_due_episodes",
      periodSeconds: 15,
      isActive: true,
      lastRunAt: "2026-05-01T11:59:50.000Z",
      lastError: null,
      failedAt: null,
    },
    {
      name: "sweep_storage",
      schedule: "17 3 * * *",
      isActive: true,
      lastRunAt: "2026-05-01T03:17:00.000Z",
      lastError: null,
      failedAt: null,
      failuresOfDay: 0,
    },
  ],
  wakeUps: { hasSecret: true, isSecretEqual: true, accepted: 100, refused: 0, lastRefusal: null },
  settings: {
    public_url: "https://casts.example.org",
    app_url: "https://studio.example.org",
    base_url: "https://casts.example.org/functions/v1",
    pages_url: "https://listen.example.org",
    environment: "production",
    accepted_email_domains: "public",
  },
  deliveries: {
    open: [{ channel: "email", status: "queued", count: 2, oldestDueSeconds: 20 }],
    ofDay: [{ channel: "email", status: "delivered", count: 95 }, { channel: "email", status: "bounced", count: 5 }],
  },
  imports: { running: 1, completed: 3, failed: 1 },
  calendars: [{ provider: "google", connections: 10, failing: 1, revoked: 0, expired: 0 }],
  billing: { offeredPrices: 2, unknownPrices: 0 },
  stoppedSenders: 0,
  estimatedRows: { profiles: 100, podcasts: 50, episodes: 1000 },
});
