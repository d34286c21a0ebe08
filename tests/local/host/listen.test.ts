import { strictEqual as equal } from "node:assert";
import { listen } from "../../../local/host/listen.ts";
import { within } from "../../wait_for.ts";

Deno.test("listen() closes connections that sent no request, half a request, or wait for a response", async () => {
  const requested = Promise.withResolvers<void>();
  const { port, close } = listen(0, ({ url }) => {
    if (new URL(url).pathname === "/") return new Response("answered");
    requested.resolve();
    return new Promise(() => {});
  });
  const connect = async (sent: string) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(new TextEncoder().encode(sent));
    return connection;
  };
  const clients = await Promise.all(["", "GET / HTTP/1.1\r\n", "GET /slow HTTP/1.1\r\nhost: x\r\n\r\n"].map(connect));
  equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "answered"); // the connections before it are accepted
  await within("the slow request", requested.promise);
  await within("the end of the server", close(), 5);
  for (const client of clients) {
    equal(await client.read(new Uint8Array(1)).catch(() => null), null); // an error if bytes were unread
    client.close();
  }
});
