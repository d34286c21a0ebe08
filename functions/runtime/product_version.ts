import built from "../built/version.json" with { type: "json" };

/** The version of package.json as `npm run build` wrote it: deployment uploads modules, and would take package.json for a manifest. */
export const VERSION: string = built.version;
