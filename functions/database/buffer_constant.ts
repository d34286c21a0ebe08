/**
 * The driver uses the global `Buffer` about ten times per statement. For each use Deno 2.1 walks the stack, to find out
 * whether a package of Node asks, which costs a tenth of a small request. A constant of a script precedes the properties
 * of the global object.
 */
import { Buffer } from "node:buffer";
import { runInThisContext } from "node:vm";

try {
  Object.assign(globalThis, { nodeBuffer: Buffer });
  runInThisContext("const Buffer = nodeBuffer");
} catch (error) { // in a runtime without scripts, statements are slower
  console.warn(String(error));
} finally {
  Reflect.deleteProperty(globalThis, "nodeBuffer");
}
