/** The options of Swagger UI that the documentation uses. */
interface Options {
  domNode: Element;
  url: string;
  deepLinking: boolean;
  validatorUrl: null;
  queryConfigEnabled: boolean;
  persistAuthorization: boolean;
  defaultModelsExpandDepth: number;
  docExpansion: "list" | "full" | "none";
  onComplete(): void;
}
declare const showDocument: (options: Options) => void;
export default showDocument;
