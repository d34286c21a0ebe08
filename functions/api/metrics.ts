/** GET /api/metrics: the state of the installation for Prometheus. */
import { publicRouter } from "../app/app.ts";
import { describeRoute } from "../app/describe_route.ts";
import { requireSharedSecret } from "../app/shared_secret.ts";
import { judge } from "../installation/findings.ts";
import { toPrometheusText } from "../installation/prometheus_text.ts";
import { readReport } from "../installation/read_report.ts";
import { checkVariables } from "../installation/variables_check.ts";
import { UNCACHEABLE } from "../runtime/api_error.ts";
import { requireVariable } from "../runtime/env.ts";

export const requireMonitoringSecret = requireSharedSecret({
  name: "monitoring",
  accepted: () => [requireVariable("MONITORING_SECRET", "the state of the installation cannot be read")],
  security: "monitoring",
});

export const metrics = publicRouter().get(
  "/",
  describeRoute({
    operationId: "getMetrics",
    summary: "Metrics of the installation in Prometheus' text format",
    responseType: "text/plain",
  }),
  requireMonitoringSecret,
  async () => {
    const report = await readReport();
    const text = toPrometheusText(report, [...judge(report), ...checkVariables(Deno.env.toObject(), report)]);
    return new Response(text, {
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": UNCACHEABLE },
    });
  },
);
