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
  syntaxHighlight: boolean;
  plugins: Plugin[];
  onComplete(): void;
}

/** A React component; its properties are the viewer's own. */
export type Component = (props: Record<string, unknown>) => unknown;

/** Replaces and wraps components of the viewer. */
export type Plugin = (system: {
  React: {
    createElement(type: string | Component, props: Record<string, unknown> | null, ...children: unknown[]): unknown;
  };
}) => {
  components: Record<string, Component>;
  wrapComponents: Record<string, (original: Component) => Component>;
};
declare const showDocument: (options: Options) => void;
export default showDocument;
