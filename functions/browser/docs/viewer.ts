/** The viewer of the OpenAPI documents: shows the one that the page names. */
// @ts-types="./swagger_ui.d.ts"
import showDocument, { type Component, type Plugin } from "swagger-ui-dist/swagger-ui-es-bundle.js";

const viewer = document.getElementById("viewer")!;

const dark = matchMedia("(prefers-color-scheme: dark)");
const followTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followTheme);
followTheme();

/** The landmarks, headings and labels that the viewer lacks, and no link within a button. */
const landmarks: Plugin = ({ React: { createElement } }) => {
  const section = (label: string) => (original: Component): Component => (props) =>
    createElement("section", { "aria-label": label }, createElement(original, props));
  return {
    components: { DeepLink: ({ text }) => createElement("span", { className: "nostyle" }, text) },
    wrapComponents: {
      InfoContainer: section("About"),
      TextArea: (original) => (props) => createElement(original, { "aria-label": "Request body", ...props }),
      Input: (original) => (props) =>
        createElement(original, props.type === "file" ? { "aria-label": "File", ...props } : props),
      JsonSchema_string: (original) => (props) => // a choice has no label, other fields a placeholder
        createElement(
          "label",
          null,
          createElement("span", { className: "visually-hidden" }, props.description),
          createElement(original, props),
        ),
      ServersContainer: section("Server"),
      operations: (original) => (props) =>
        createElement(
          "section",
          { "aria-labelledby": "operations" },
          createElement("h2", { id: "operations", className: "visually-hidden" }, "Operations"),
          createElement(original, props),
        ),
    },
  };
};

showDocument({
  domNode: viewer,
  url: viewer.dataset.document!,
  deepLinking: true,
  validatorUrl: null, // else a badge sends the document's URL to a service
  queryConfigEnabled: false, // a link cannot name another document
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  syntaxHighlight: false, // its colors have too little contrast
  plugins: [landmarks],
  onComplete() {
    document.getElementById("servers")?.setAttribute("aria-label", "Server");
    viewer.removeAttribute("aria-busy");
  },
});
