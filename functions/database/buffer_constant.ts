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
} catch {
  // the hosted platform runs no scripts of node:vm: statements are slower there
} finally {
  Reflect.deleteProperty(globalThis, "nodeBuffer");
}
