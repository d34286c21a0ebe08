import { tmpdir } from "node:os";
import { join } from "node:path";
import { StartupError } from "./startup_error.ts";

const hostname = "127.0.0.1";

/** The time in which a process that has chosen a port must listen on it. */
const RESERVATION_MS = 180_000;

/**
 * Returns a free port and reserves it for three minutes, so that stacks may start at once. It is below 32768, where the
 * system's ports of outgoing connections start.
 */
export function freePort(): number {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    if (isFree(port) && reserve(port)) return port;
  }
}

function isFree(port: number): boolean {
  try {
    Deno.listen({ hostname, port }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return false;
    throw error;
  }
}

/** Reserves a port by a file that only one process can create; false while another reservation is valid. */
function reserve(port: number): boolean {
  const folder = join(tmpdir(), `supabase-local-ports-${Deno.uid()}`), file = join(folder, String(port));
  Deno.mkdirSync(folder, { recursive: true });
  try {
    if (Date.now() - Deno.statSync(file).mtime!.getTime() < RESERVATION_MS) return false;
    Deno.removeSync(file);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  try {
    Deno.openSync(file, { write: true, createNew: true }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}

/** Throws StartupError if the port is in use. */
export function assertFree(port: number, purpose: string, setting: string) {
  try {
    Deno.listen({ hostname, port }).close();
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied) {
      throw new StartupError(
        `This user may not listen on port ${port} (${purpose}). Change ${setting} to a number above 1023.`,
      );
    }
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    throw new StartupError(
      `Port ${port} (${purpose}) is in use. Stop the other program, or change ${setting} in supabase/config.toml.`,
    );
  }
}
