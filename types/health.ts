/** The health probes. Responses are flat. */
import { z } from "zod";
import { Timestamp } from "./envelope.ts";

export const HealthResponse = z.strictObject({ status: z.literal("ok"), timestamp: Timestamp });
