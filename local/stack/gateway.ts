// The gateway of the stack, in place of Kong on the platform: routes a path to its service.
import { listen } from "../host/listen.ts";
import { CHAT_PATH } from "./demo_chat.ts";

type Service = (request: Request) => Response | Promise<Response>;

interface Services {
  auth: Service;
  rest: Service;
  storage: Service;
  realtime: Service;
  demoChat: Service;
  demoFeed: Service;
  functions: (request: Request, address: string) => Promise<Response>;
}

/** Each service responds to preflights itself, because each knows which headers it exposes. */
export function startGateway(port: number, services: Services) {
  const withAddress = (service: Service) => (request: Request, address: string) =>
    service(withClientAddress(request, address));
  const routes: [path: string, respond: (request: Request, address: string) => Response | Promise<Response>][] = [
    ["/functions/v1", services.functions],
    ["/rest/v1", withAddress(services.rest)],
    ["/auth/v1", withAddress(services.auth)],
    ["/storage/v1", withAddress(services.storage)],
    ["/realtime/v1", services.realtime],
    [CHAT_PATH, services.demoChat],
    ["/demo", services.demoFeed],
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

/** Appends the client's IP address to its own X-Forwarded-For, as the platform does. */
function withClientAddress(request: Request, address: string): Request {
  const headers = new Headers(request.headers);
  const forwarded = headers.get("x-forwarded-for");
  headers.set("x-forwarded-for", forwarded ? `${forwarded}, ${address}` : address);
  return new Request(request, { headers });
}

function plain(status: number, message: string): Response {
  return Response.json({ message }, { status, headers: { "access-control-allow-origin": "*" } });
}
