import { tmpdir } from "node:os";
import { join } from "node:path";
import { StartupError } from "./startup_error.ts";

const hostname = "127.0.0.1";

/** Between the choice of a port and the start of what listens on it, in milliseconds. */
const RESERVATION_MS = 180_000;

/**
 * A free port. No other process that asks here gets it for three minutes, so that stacks may start at once; nor does the
 * system give it to an outgoing connection, because it gives those from 32768.
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

/** By a file that only one process can create; false while another process's is fresh. */
function reserve(port: number): boolean {
  const folder = join(tmpdir(), `castbase-ports-${Deno.uid()}`), file = join(folder, String(port));
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

/** Says in one sentence which port is taken, and what to do about it. */
export function assertFree(port: number, purpose: string, setting: string) {
  try {
    Deno.listen({ hostname, port }).close();
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied) {
      throw new StartupError(
        `This user may not listen on port ${port} (${purpose}): give ${setting} a number above 1023.`,
      );
    }
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    throw new StartupError(
      `Port ${port} (${purpose}) is in use by another program: stop that one, or give ${setting} another number in supabase/config.toml.`,
    );
  }
}
