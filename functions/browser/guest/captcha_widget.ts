/** The captcha widget of a form, by the API that Turnstile and hCaptcha share. */
import { language, texts } from "./guest_texts.ts";

type ProviderApi = {
  render(container: HTMLElement, options: Record<string, unknown>): string;
  reset(widgetId: string): void;
};

export function createCaptchaWidget(container: HTMLElement, setProblem: (text: string) => void) {
  const { captchaApi, captchaSiteKey, captchaScriptUrl } = document.body.dataset;
  const globals = globalThis as unknown as Record<string, unknown>;
  const NORMAL_WIDTH = 300; // pixels
  let api: ProviderApi | undefined, widgetId: string | undefined, token: string | undefined, isLoading = false;

  /** Loads the provider's script once. The next call repeats a load that failed. */
  function load() {
    if (!captchaSiteKey || isLoading) return;
    isLoading = true;
    const script = document.createElement("script"), url = new URL(captchaScriptUrl!);
    url.searchParams.set("render", "explicit");
    url.searchParams.set("onload", "renderCaptcha");
    globals.renderCaptcha = render;
    script.src = url.href;
    script.onerror = () => {
      script.remove();
      isLoading = false;
      setProblem(texts.captchaBlocked);
    };
    document.head.append(script);
  }

  function render() {
    container.hidden = false;
    setProblem("");
    api = globals[captchaApi!] as ProviderApi;
    widgetId = api.render(container, {
      sitekey: captchaSiteKey,
      language, // Turnstile; hCaptcha has hl
      hl: language,
      theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
      size: container.clientWidth < NORMAL_WIDTH ? "compact" : "normal",
      callback(solved: string) {
        token = solved;
        setProblem("");
      },
      "expired-callback"() {
        token = undefined;
      },
      "error-callback"() {
        token = undefined;
        setProblem(texts.captchaBroken);
        return true; // handled: Turnstile logs no warning
      },
    });
  }

  /** Returns the token and forgets it, because it is valid once. */
  function takeToken(): string | undefined {
    const taken = token;
    token = undefined;
    return taken;
  }

  /** Requests a new token. */
  function reset() {
    token = undefined;
    if (widgetId !== undefined) api!.reset(widgetId);
  }

  return { isRequired: Boolean(captchaSiteKey), load, takeToken, reset };
}
