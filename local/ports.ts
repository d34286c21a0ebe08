import { CannotStart } from "./cannot_start.ts";

const hostname = "127.0.0.1";

/** A port that nobody listens on now, and that the system gives to no outgoing connection meanwhile: it gives those from 32768. */
export function freePort(): number {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    try {
      Deno.listen({ hostname, port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

/** Says in one sentence which port is taken, and what to do about it. */
export function assertFree(port: number, purpose: string, setting: string) {
  try {
    Deno.listen({ hostname, port }).close();
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied) {
      throw new CannotStart(
        `This user may not listen on port ${port} (${purpose}): give ${setting} a number above 1023.`,
      );
    }
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    throw new CannotStart(
      `Port ${port} (${purpose}) is in use by another program: stop that one, or give ${setting} another number in supabase/config.toml.`,
    );
  }
}
