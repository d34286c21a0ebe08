/** The caller's own account. */
import { z } from "zod";
import { Id, successEnvelope } from "./envelope.ts";

export const DeleteAccountResponse = successEnvelope(z.strictObject({ id: Id }));
