// The script of a captcha provider (captcha_provider.ts): the explicit-render API that Turnstile and hCaptcha share.
// Turnstile's widget solves itself, again after each reset; hCaptcha's waits for a click.
(() => {
  const script = new URL(document.currentScript.src);
  const name = script.pathname.slice(1, -".js".length);
  const widgets = new Map();

  async function solve(id) {
    const { params } = widgets.get(id);
    const response = await fetch(`${script.origin}/tokens?sitekey=${encodeURIComponent(params.sitekey)}`, {
      method: "POST",
    });
    const text = await response.text(), widget = widgets.get(id);
    if (!widget) return; // removed meanwhile
    if (!response.ok) return params["error-callback"]?.(text);
    widget.token = text;
    widget.box.checked = true;
    params.callback?.(text);
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
