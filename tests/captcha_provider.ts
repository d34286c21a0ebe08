// A captcha provider on the loopback interface, in place of Turnstile or hCaptcha: siteverify and the widget's script.
import { join } from "node:path";
import type { CaptchaSettings } from "../local/auth/captcha_settings.ts";
import { type HttpServer, startHttpServer } from "./http_server.ts";

export interface CaptchaProvider extends HttpServer {
  siteKey: string;
  /** For the auth settings of a stack. */
  captcha: CaptchaSettings;
  /** The widget's script. It defines `hcaptcha` if its URL contains that name, else `turnstile`. */
  script: string;
  /** Its URL on this server. */
  scriptUrl(name: "turnstile" | "hcaptcha"): string;
  /** A token as the widget gets one for a solved challenge. */
  issueToken(): string;
  /** The siteverify calls, oldest first. */
  calls: URLSearchParams[];
}

const widget = Deno.readTextFileSync(join(import.meta.dirname!, "captcha_widget.js"));
const CORS = { "access-control-allow-origin": "*" };

/** Accepts each token once. Errors have the providers' codes. */
export function startCaptchaProvider(): CaptchaProvider {
  const siteKey = crypto.randomUUID(), secret = crypto.randomUUID();
  const issued = new Set<string>(), unused = new Set<string>();
  const calls: URLSearchParams[] = [];

  function issueToken() {
    const token = crypto.randomUUID();
    issued.add(token);
    unused.add(token);
    return token;
  }

  function problemOf(form: URLSearchParams): string | undefined {
    const token = form.get("response")!;
    if (form.get("secret") !== secret) return "invalid-input-secret";
    if (!issued.has(token)) return "invalid-input-response";
    if (!unused.delete(token)) return "timeout-or-duplicate";
  }

  const server = startHttpServer(async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/siteverify") {
      const form = new URLSearchParams(await request.text());
      calls.push(form);
      const problem = problemOf(form);
      return Response.json({ success: !problem, "error-codes": problem ? [problem] : [] });
    }
    if (pathname === "/tokens") {
      return searchParams.get("sitekey") === siteKey
        ? new Response(issueToken(), { headers: CORS })
        : new Response("invalid-sitekey", { status: 400, headers: CORS });
    }
    return new Response(widget, { headers: { "content-type": "text/javascript", ...CORS } });
  });
  return {
    ...server,
    siteKey,
    script: widget,
    captcha: { verifyUrl: `${server.url}/siteverify`, secret, timeoutMs: 10_000 },
    scriptUrl: (name) => `${server.url}/${name}.js`,
    issueToken,
    calls,
  };
}
