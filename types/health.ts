/** The health probes (contract: Health). Answers are flat. */
import { z } from "zod";
import { Timestamp } from "./envelope.ts";

export const HealthResponse = z.strictObject({ status: z.literal("ok"), timestamp: Timestamp });
