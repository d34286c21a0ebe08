// /functions/v1/<name>/*: edge functions as plain modules with `export default { fetch }`.
import { join } from "node:path";
type Handler = { fetch(r: Request): Response | Promise<Response> };

export function createFunctions(dir: string) {
  const loaded = new Map<string, Promise<Handler>>();
  return async (req: Request): Promise<Response> => {
    const url = new URL(req.url);
    const name = url.pathname.split("/")[3] ?? "";
    if (!/^[A-Za-z0-9_-]+$/.test(name)) return new Response("no function", { status: 404 });
    const file = join(dir, name, "index.ts");
    let mtime: number;
    try {
      mtime = (await Deno.stat(file)).mtime?.getTime() ?? 0;
    } catch {
      return Response.json({ code: "NOT_FOUND", message: "Requested function was not found" }, { status: 404 });
    }
    const spec = `file://${file}?v=${mtime}`;
    if (!loaded.has(spec)) loaded.set(spec, import(spec).then((m) => m.default));
    const handler = await loaded.get(spec)!;
    url.pathname = url.pathname.slice("/functions/v1".length); // the runtime strips this prefix
    return await handler.fetch(new Request(url, req));
  };
}
