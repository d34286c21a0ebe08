// The script of a captcha provider (captcha_provider.ts): the explicit-render API that Turnstile and hCaptcha share.
// Turnstile's widget solves itself, again after each reset; hCaptcha's waits for a click.
(() => {
  const script = new URL(document.currentScript.src);
  const name = script.href.includes("hcaptcha") ? "hcaptcha" : "turnstile";
  const widgets = new Map();

  /** Tests that serve this script under a provider's URL define issueCaptchaToken. */
  async function requestToken(sitekey) {
    if (globalThis.issueCaptchaToken) return await globalThis.issueCaptchaToken(sitekey);
    const url = `${script.origin}/tokens?sitekey=${encodeURIComponent(sitekey)}`;
    const response = await fetch(url, { method: "POST" });
    if (!response.ok) throw new Error(await response.text());
    return await response.text();
  }

  async function solve(id) {
    const { params } = widgets.get(id);
    const { token, error } = await requestToken(params.sitekey).then((token) => ({ token }), (error) => ({ error }));
    const widget = widgets.get(id);
    if (!widget) return; // removed meanwhile
    if (error) return params["error-callback"]?.(error.message);
    widget.token = token;
    widget.box.checked = true;
    params.callback?.(token);
  }

  function begin(id) {
    const widget = widgets.get(id);
    widget.token = "";
    widget.box.checked = false;
    if (name === "turnstile") solve(id);
  }

  globalThis[name] = {
    render(container, params) {
      const element = typeof container === "string" ? document.querySelector(container) : container;
      const label = document.createElement("label"), box = document.createElement("input");
      box.type = "checkbox";
      label.className = "test-captcha";
      label.append(box, " I am human");
      element.append(label);
      const id = crypto.randomUUID();
      box.addEventListener("click", (event) => {
        event.preventDefault(); // checked once it is solved
        solve(id);
      });
      widgets.set(id, { params, label, box });
      begin(id);
      return id;
    },
    reset: begin,
    remove(id) {
      widgets.get(id).label.remove();
      widgets.delete(id);
    },
    getResponse: (id) => widgets.get(id).token,
    ready: (callback) => callback(),
    /** For tests: the tokens of all widgets expire. */
    expire() {
      for (const [id, { params }] of widgets) {
        params["expired-callback"]?.();
        begin(id);
      }
    },
  };
  globalThis[script.searchParams.get("onload")]?.();
})();
