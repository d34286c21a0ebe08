/** The captcha widget that a page may load: by the settings captcha_provider, captcha_site_key and captcha_script_url. */
import { logError } from "../../runtime/log.ts";

interface Provider {
  scriptUrl: string;
  /** Sources of the directives that the provider documents. */
  policy: Record<string, string[]>;
}

const HCAPTCHA = ["https://hcaptcha.com", "https://*.hcaptcha.com"];
const TURNSTILE = ["https://challenges.cloudflare.com"];

const PROVIDERS: Record<string, Provider> = {
  // https://docs.hcaptcha.com/#content-security-policy-settings
  hcaptcha: {
    scriptUrl: "https://js.hcaptcha.com/1/api.js",
    policy: { "script-src": HCAPTCHA, "frame-src": HCAPTCHA, "style-src": HCAPTCHA, "connect-src": HCAPTCHA },
  },
  // https://developers.cloudflare.com/turnstile/reference/content-security-policy/
  turnstile: {
    scriptUrl: "https://challenges.cloudflare.com/turnstile/v0/api.js",
    policy: { "script-src": TURNSTILE, "frame-src": TURNSTILE },
  },
};

export interface Captcha {
  /** The global variable of the widget's API. */
  api: string;
  siteKey: string;
  scriptUrl: string;
  /** Sources by directive of the content security policy. */
  policy: Record<string, string[]>;
}

/** Returns undefined without a site key, and logs unusable settings: pages then work without the widget. */
export function readCaptcha(settings: Record<string, string>): Captcha | undefined {
  const { captcha_provider: api, captcha_site_key: siteKey, captcha_script_url: ownScriptUrl } = settings;
  if (!siteKey) return undefined;
  if (!Object.hasOwn(PROVIDERS, api)) return logProblem("captcha_provider must be turnstile or hcaptcha");
  if (ownScriptUrl && !URL.canParse(ownScriptUrl)) return logProblem("captcha_script_url must be a URL, or empty");
  const { scriptUrl, policy } = PROVIDERS[api];
  if (!ownScriptUrl) return { api, siteKey, scriptUrl, policy };
  const { origin } = new URL(ownScriptUrl);
  const ownPolicy = Object.fromEntries(
    ["script-src", "frame-src", "style-src", "connect-src"].map((name) => [name, [...policy[name] ?? [], origin]]),
  );
  return { api, siteKey, scriptUrl: ownScriptUrl, policy: ownPolicy };
}

const logProblem = (problem: string) =>
  void logError({ error: new Error(`No captcha widget: the setting ${problem}`) });
