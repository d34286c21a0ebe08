// A project for one test: empty database, free ports in config.toml, an edge function that shows its environment.
import { join } from "node:path";
import { freePorts, portsToml, projectFolder } from "./project_folder.ts";

export interface ProbeProject {
  folder: string;
  ports: ReturnType<typeof freePorts>;
  /** Replaces the source of the function `probe`. */
  write(source: string): Promise<void>;
}

/** Deleted at the end of the test file. */
export async function probeProject(): Promise<ProbeProject> {
  const ports = freePorts();
  const folder = await projectFolder({
    "supabase/config.toml": `${portsToml(ports)}
[functions.probe]
verify_jwt = false
entrypoint = "../functions/probe/index.ts"
[functions.broken]
verify_jwt = false
entrypoint = "../functions/broken.ts"
`,
    "functions/broken.ts": `throw new Error("a secret of the file's");`,
    "functions/probe/index.ts": PROBE,
  });
  for (const empty of ["supabase/migrations", "types"]) await Deno.mkdir(join(folder, empty));
  const write = (source: string) => Deno.writeTextFile(join(folder, "functions/probe/index.ts"), source);
  return { folder, ports, write };
}

const PROBE = `
const arrived = new Set(), aborted = [];
const run = async () => await new Deno.Command("/bin/ls").output();
export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    switch (pathname) {
      case "/probe/pid": return new Response(String(Deno.pid));
      case "/probe/env": return Response.json(Deno.env.toObject());
      case "/probe/exit": Deno.exit(7);
      case "/probe/loop": for (;;);
      case "/probe/throw": throw new Error("a secret of the function's");
      case "/probe/run": return new Response(await run().then(() => "ran", (error) => error.name));
      case "/probe/request": return Response.json({
        method: request.method, url: pathname + "?" + searchParams, headers: Object.fromEntries(request.headers),
        body: await request.text(),
      });
      case "/probe/gzip": return new Response(Uint8Array.from(JSON.parse(searchParams.get("bytes"))), {
        headers: { "content-type": "application/rss+xml", "content-encoding": "gzip", etag: '"strong"', vary: "accept-encoding" },
      });
      case "/probe/text": return new Response("text ".repeat(1000), { headers: { "content-type": "text/html", etag: '"strong"' } });
      case "/probe/long": return new Response("text ".repeat(50_000));
      case "/probe/304": return new Response(null, { status: 304, headers: { etag: '"strong"' } });
      case "/probe/redirect": return new Response(null, { status: 302, headers: { location: "https://example.test/" } });
      case "/probe/cookies": {
        const headers = new Headers();
        headers.append("set-cookie", "a=1");
        headers.append("set-cookie", "b=2");
        return new Response("", { headers });
      }
      case "/probe/chat": return new Response(request.body.pipeThrough(new TransformStream({
        transform: (chunk, c) => c.enqueue(chunk.map((byte) => byte + 1)),
      })));
      case "/probe/endless": {
        const name = searchParams.get("name");
        let timer;
        return new Response(new ReadableStream({
          start: (c) => { timer = setInterval(() => { arrived.add(name); c.enqueue(new TextEncoder().encode("tick")); }, 5); },
          cancel: () => { clearInterval(timer); aborted.push(name); },
        }));
      }
      case "/probe/patient": {
        const name = searchParams.get("name");
        arrived.add(name);
        await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
        aborted.push(name);
        return new Response();
      }
      case "/probe/upload": {
        const name = searchParams.get("name");
        arrived.add(name);
        await request.text().catch(() => aborted.push(name));
        return new Response();
      }
      case "/probe/arrived": return Response.json([...arrived]);
      case "/probe/aborted": return Response.json(aborted);
    }
    return new Response("?", { status: 404 });
  },
};
`;
