// The report and the metrics of an installation, for callers with MONITORING_SECRET alone.
import assert from "node:assert/strict";
import { HealthReportResponse } from "../../../types/health.ts";
import { startFunctions } from "../../functions.ts";
import { startHttpServer } from "../../http_server.ts";
import { assertError, assertKeys, sendRequest, stackInfo } from "../harness.ts";

const MONITORING_SECRET = "castbase-local-monitoring"; // supabase/local/functions.json
const monitoring = { token: MONITORING_SECRET };

for (const path of ["/api/health/report", "/api/metrics"]) {
  Deno.test(`GET ${path} returns 401 without the secret of monitoring`, async () => {
    const tokens = ["junk", stackInfo.publishableKey, stackInfo.secretKey, `${MONITORING_SECRET} `.trim() + "x"];
    for (const as of [undefined, "owner" as const, ...tokens.map((token) => ({ token }))]) {
      assertError(await sendRequest({ method: "GET", path, as }), 401);
    }
  });
}

Deno.test("GET /api/health/report returns the status, the findings and the report of the database", async () => {
  const { status, body, headers } = await sendRequest({ method: "GET", path: "/api/health/report", as: monitoring });
  assert.equal(status, 200);
  assert.equal(headers.get("cache-control"), "private, no-store");
  assertKeys(body, "status", "version", "findings", "report");
  const { findings, report } = HealthReportResponse.parse(body);
  assert.equal(report.settings.public_url, stackInfo.url);
  assert.equal(report.wakeUps.isSecretEqual, true);
  const checks = new Set(findings.map(({ check }) => check));
  for (const check of ["objects", "queues", "jobs", "variables"]) assert.ok(checks.has(check), check);
  assert.ok(!checks.has("email"), "providers are asked only on request");
});

Deno.test("GET /api/health/report rejects an unknown value of providers", async () => {
  assertError(await sendRequest({ method: "GET", path: "/api/health/report?providers=yes", as: monitoring }), 400);
});

Deno.test("GET /api/health/report with providers=true says which providers accept the credentials", async () => {
  const responses: Record<string, Response> = {
    "/domains": Response.json({ name: "restricted_api_key", message: "only sends" }, { status: 401 }),
    "/v1/customers": Response.json({ error: { type: "invalid_request_error", message: "Invalid key" } }, {
      status: 401,
    }),
    "/google/token": Response.json({ error: "invalid_grant" }, { status: 400 }),
    "/microsoft/common/oauth2/v2.0/token": Response.json({ error: "invalid_client" }, { status: 401 }),
  };
  await using peer = startHttpServer(({ url }) =>
    responses[new URL(url).pathname]?.clone() ?? new Response(null, { status: 404 })
  );
  const { url: origin } = peer;
  await using functions = await startFunctions(stackInfo, {
    MONITORING_SECRET,
    MAIL_FROM: "noreply@example.org",
    RESEND_API_KEY: "re_secret123",
    RESEND_API_URL: origin,
    STRIPE_SECRET_KEY: "sk_test_secret456",
    STRIPE_API_URL: origin,
    GOOGLE_CLIENT_ID: "g",
    GOOGLE_CLIENT_SECRET: "google-secret",
    GOOGLE_OAUTH_URL: `${origin}/google`,
    MICROSOFT_CLIENT_ID: "m",
    MICROSOFT_CLIENT_SECRET: "microsoft-secret",
    MICROSOFT_LOGIN_URL: `${origin}/microsoft`,
  }, { only: "api" });
  const response = await fetch(`${functions.url}/api/health/report?providers=true`, {
    headers: { authorization: `Bearer ${MONITORING_SECRET}` },
  });
  const text = await response.text(), { findings, status } = HealthReportResponse.parse(JSON.parse(text));
  const of = (check: string) =>
    findings.filter((one) => one.check === check).map(({ level, message }) => [level, message]);
  const accepted = [["ok", "the credentials are accepted"]];
  for (const check of ["storage", "auth", "email", "calendars of Google"]) assert.deepEqual(of(check), accepted, check);
  assert.match(of("stripe").join(), /^problem,Stripe responded 401 /);
  assert.match(of("calendars of Microsoft").join(), /^problem,.*rejected the request.*invalid_client/);
  assert.match(of("wake-ups").join(), /^problem,The worker_secret of Vault is not the WORKER_SECRET of the functions/);
  assert.equal(status, "problem");
  assert.doesNotMatch(text, /secret123|secret456|google-secret|microsoft-secret|castbase-local-monitoring/);
});

Deno.test("GET /api/health/report finds a mail server that does not respond", async () => {
  await using functions = await startFunctions(stackInfo, {
    MONITORING_SECRET,
    MAIL_FROM: "noreply@example.org",
    SMTP_URL: "smtp://user:s3cret@127.0.0.1:1",
  }, { only: "api" });
  const response = await fetch(`${functions.url}/api/health/report?providers=true`, {
    headers: { authorization: `Bearer ${MONITORING_SECRET}` },
  });
  const text = await response.text(), { findings } = HealthReportResponse.parse(JSON.parse(text));
  const [email] = findings.filter(({ check }) => check === "email");
  assert.equal(email.level, "problem");
  assert.ok(!text.includes("s3cret"));
});

Deno.test("GET /api/metrics returns Prometheus text", async () => {
  const { status, text, headers } = await sendRequest({ method: "GET", path: "/api/metrics", as: monitoring });
  assert.equal(status, 200);
  assert.equal(headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  assert.equal(headers.get("cache-control"), "private, no-store");
  assert.match(text, /^# HELP castbase_check_status /);
  assert.match(text, /\ncastbase_queue_messages\{queue="email_deliveries"\} \d+\n/);
});

Deno.test("the state of the installation is closed without MONITORING_SECRET", async () => {
  await using functions = await startFunctions(stackInfo, {}, { only: "api" });
  for (const path of ["/api/health/report", "/api/metrics"]) {
    const response = await fetch(`${functions.url}${path}`, { headers: { authorization: "Bearer undefined" } });
    const { code, error } = await response.json();
    assert.deepEqual([response.status, code], [500, "MISSING_SETTING"]);
    assert.match(error, /^MONITORING_SECRET is not set/);
  }
});
