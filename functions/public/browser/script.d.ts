/** How pages see a browser script: deno.json of this folder checks the scripts themselves, with DOM types. */
declare const script: () => void;
export default script;
