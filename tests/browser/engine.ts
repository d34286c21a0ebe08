// What page tests need of a browser.

export interface Engine extends AsyncDisposable {
  /** Name and version. */
  name: string;
  /** Errors of scripts and policies that the console showed. */
  problems: string[];
  /** Opens a page and waits until it has loaded. */
  goto(url: string): Promise<void>;
  /** The value of an expression, or of its promise. */
  evaluate<T>(expression: string): Promise<T>;
  /** A PNG of the window. */
  screenshot(): Promise<Uint8Array>;
}

interface Options {
  width: number;
  height: number;
  isDark?: boolean;
}

/** Starts a browser, whose window has about this size. */
export type Open = (options: Options) => Promise<Engine>;

/** A port that is free now. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
