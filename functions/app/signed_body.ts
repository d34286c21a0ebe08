/** Reads the body of a webhook, whose sender signs its bytes. */
import { ApiError } from "../runtime/api_error.ts";
import { readBody } from "./request_body.ts";

/** Returns the text that `verify` has accepted. 413 over the limit, 400 if `verify` throws. */
export async function readSignedBody(
  request: Request,
  maxBytes: number,
  verify: (text: string) => unknown,
): Promise<string> {
  const { size, bytes } = await readBody(request, maxBytes, "json");
  if (size > maxBytes) throw new ApiError(413, "Request body too large");
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    await verify(text);
    return text;
  } catch (error) {
    // an error of the library may carry the whole body
    throw new ApiError(400, "Invalid signature", { cause: new Error((error as Error).message) });
  }
}
