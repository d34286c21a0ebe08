// A Turnstile or hCaptcha widget in a form, by the explicit-render API that both providers have.

const SCRIPTS = {
  turnstile: "https://challenges.cloudflare.com/turnstile/v0/api.js",
  hcaptcha: "https://js.hcaptcha.com/1/api.js",
};
const NORMAL_WIDTH = 303; // pixels, of the wider provider

let loading;

/** Loads the provider's script once, and again after a failure. */
function loadProvider({ provider, scriptUrl }) {
  return loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script"), url = new URL(scriptUrl || SCRIPTS[provider]);
    url.searchParams.set("render", "explicit");
    url.searchParams.set("onload", "onCaptchaLoaded");
    globalThis.onCaptchaLoaded = () => resolve(globalThis[provider]);
    script.onerror = () => {
      loading = undefined;
      reject();
    };
    script.src = url;
    document.head.append(script);
  });
}

const notLoaded = () =>
  new Error("The security check can't be loaded. Check your connection and your content blocker, then try again.");

/**
 * Renders a widget into `container`. A token is valid once and for a few minutes: call takeToken() for each attempt, and
 * renew() after it, also if it failed. close() removes the widget.
 */
export function openCaptcha(container, options) {
  let provider, id, token, hasFailed = false, isClosed = false, waiting;

  function fail() {
    token = undefined;
    hasFailed = true;
    waiting?.reject(notLoaded());
    return true; // the provider need not report it too
  }

  const parameters = () => ({
    sitekey: options.siteKey,
    theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
    size: container.clientWidth < NORMAL_WIDTH ? "compact" : "normal",
    callback(value) {
      token = value;
      hasFailed = false;
      waiting?.resolve();
    },
    "expired-callback": () => token = undefined,
    "error-callback": fail,
  });

  async function render() {
    try {
      provider = await loadProvider(options);
      if (isClosed) return;
      id = provider.render(container.appendChild(document.createElement("div")), parameters());
    } catch {
      fail();
    }
  }

  function renew() {
    token = undefined;
    hasFailed = false;
    if (id === undefined) render();
    else provider.reset(id);
  }

  render();
  return {
    isSolved: () => token !== undefined,
    /** Waits until the user has solved the challenge. Throws if the widget does not load. */
    async takeToken() {
      if (token === undefined) {
        await new Promise((resolve, reject) => {
          waiting = { resolve, reject };
          if (hasFailed) renew();
        });
      }
      const taken = token;
      token = undefined;
      return taken;
    },
    renew,
    close() {
      isClosed = true;
      waiting?.reject(notLoaded());
      if (id !== undefined) provider.remove(id);
      container.replaceChildren();
    },
  };
}
