/** The viewer of the OpenAPI documents: shows the one that the page names. */
// @ts-types="./swagger_ui.d.ts"
import showDocument from "swagger-ui-dist/swagger-ui-es-bundle.js";

const viewer = document.getElementById("viewer")!;

const dark = matchMedia("(prefers-color-scheme: dark)");
const followTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followTheme);
followTheme();

showDocument({
  domNode: viewer,
  url: viewer.dataset.document!,
  deepLinking: true,
  validatorUrl: null, // else a badge sends the document's URL to a service
  queryConfigEnabled: false, // a link cannot name another document
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  onComplete: () => viewer.removeAttribute("aria-busy"),
});
