/** The captcha widget that a page may load: by the settings captcha_provider and captcha_site_key. */
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

/** Returns undefined without a site key: pages then work without the widget. */
export function readCaptcha(
  { captcha_provider: api, captcha_site_key: siteKey }: Record<string, string>,
): Captcha | undefined {
  return siteKey ? { api, siteKey, ...PROVIDERS[api] } : undefined;
}
