// The one address of the stack, as Kong stands before Supabase's services: which of them answers a path.
import { listen } from "./listen.ts";

export type Service = (request: Request) => Response | Promise<Response>;

export interface Services {
  auth: Service;
  rest: Service;
  storage: Service;
  realtime: Service;
  demo: Service;
  functions: (request: Request, address: string) => Promise<Response>;
}

/** Each service answers preflights itself, as each knows which headers a page may read. */
export function startGateway(port: number, services: Services) {
  const told = (service: Service) => (request: Request, address: string) => service(withClient(request, address));
  const routes: [path: string, answer: (request: Request, address: string) => Response | Promise<Response>][] = [
    ["/functions/v1", services.functions],
    ["/rest/v1", told(services.rest)],
    ["/auth/v1", told(services.auth)],
    ["/storage/v1", told(services.storage)],
    ["/realtime/v1", services.realtime],
    ["/demo", services.demo],
  ];
  const serviceOf = (path: string) =>
    routes.find(([start]) => path.startsWith(start) && ["", "/", "?"].includes(path.charAt(start.length)))?.[1];

  return listen(port, async (request, { remoteAddr }) => {
    const path = request.url.slice(request.url.indexOf("/", "http://".length));
    const service = serviceOf(path);
    if (!service) return plain(404, "no Route matched with those values");
    try {
      return await service(request, remoteAddr.hostname);
    } catch (error) {
      console.error(request.method, path, error);
      return plain(500, "An unexpected error occurred");
    }
  });
}

/** What a client says about its own address stays on the left, as the platform leaves it; the true one follows. */
function withClient(request: Request, address: string): Request {
  const headers = new Headers(request.headers);
  const said = headers.get("x-forwarded-for");
  headers.set("x-forwarded-for", said ? `${said}, ${address}` : address);
  return new Request(request, { headers });
}

function plain(status: number, message: string): Response {
  return Response.json({ message }, { status, headers: { "access-control-allow-origin": "*" } });
}
