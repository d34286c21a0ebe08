/** Whether the URLs of the settings lead to what they name. */
import type { Finding, InstallationReport } from "../../types/health.ts";
import { describeError } from "../../functions/runtime/describe_error.ts";

const TIMEOUT_MS = 10_000;

interface UrlCheck {
  setting: string;
  path: string;
  method?: "GET" | "POST";
  /** What the response must be. */
  isExpected: (response: Response, text: string) => boolean;
  expected: string;
}

const URL_CHECKS: UrlCheck[] = [
  {
    setting: "base_url",
    path: "/api/health/ready",
    isExpected: ({ status, headers }) => status === 200 && headers.has("x-castbase-version"),
    expected: "200 of the function api",
  },
  {
    setting: "public_api_url",
    path: "/v1/openapi.json",
    isExpected: ({ status }, text) => status === 200 && text.includes('"openapi"'),
    expected: "the document of /v1",
  },
  {
    setting: "worker_url",
    path: "",
    method: "POST",
    isExpected: ({ status, headers }) => status === 401 && headers.has("x-castbase-version"),
    expected: "401 of the function worker to a request without its secret",
  },
  {
    setting: "pages_url",
    path: "/robots.txt",
    isExpected: ({ status }, text) => status === 200 && /user-agent/i.test(text),
    expected: "robots.txt of the pages",
  },
  {
    setting: "embed_url",
    path: "/player/v1.js",
    isExpected: ({ status }) => status === 200,
    expected: "the script of the player",
  },
  {
    setting: "app_url",
    path: "",
    isExpected: ({ status }) => status < 500, // a front end may have no page at its root
    expected: "the front end",
  },
];

/** One finding for all URLs, or one for each that fails. */
export async function checkUrls({ settings }: InstallationReport): Promise<Finding[]> {
  const set = URL_CHECKS.filter(({ setting }) => settings[setting]);
  const findings = (await Promise.all(set.map((check) => checkUrl(check, settings[check.setting]!)))).flat();
  if (findings.length > 0) return findings;
  return [{ check: "urls", level: "ok", message: `${set.length} URLs of the settings respond` }];
}

async function checkUrl({ setting, path, method, isExpected, expected }: UrlCheck, url: string): Promise<Finding[]> {
  const finding = (message: string): Finding[] => [{
    check: "urls",
    level: setting === "app_url" ? "warning" : "problem",
    message: `${setting} (${url}${path}): ${message}`,
    remedy: "Check the setting, the DNS record, the certificate and what the proxy or CDN forwards",
  }];
  try {
    const response = await fetch(`${url}${path}`, { method, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await response.text();
    return isExpected(response, text) ? [] : finding(`responded ${response.status}; expected ${expected}`);
  } catch (error) {
    return finding(describeError(error));
  }
}
