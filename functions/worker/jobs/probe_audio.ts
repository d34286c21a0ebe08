/**
 * audio_probes: measures the audio of an episode and reads its chapters, where the upload or feed named none. A second
 * run is harmless.
 */
import { z } from "zod";
import { logInfo } from "../../app/log.ts";
import { serviceSql } from "../../database/db.ts";
import type { Job } from "../job.ts";

const schema = z.object({
  type: z.literal("audio_probe"),
  podcast_id: z.guid(),
  episode_id: z.guid(),
  path: z.string().min(1).max(1000),
});

const VISIBILITY_TIMEOUT_SECONDS = 60;
/** Less than the visibility timeout, so that no other worker claims the message meanwhile. */
const MAX_PROBE_MS = 40_000;

export const probeAudioJob: Job<z.infer<typeof schema>> = {
  queue: "audio_probes",
  schema,
  batchSize: 1, // a large file delays no other
  visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS,
  concurrency: 4,
  async run([{ episode_id, path }]) {
    const [{ is_due }] = await serviceSql<{ is_due: boolean }[]>`
      select private.is_audio_probe_due(${episode_id}, ${path}) as is_due`;
    if (!is_due) return; // replaced, removed, or measured by another run
    const { probeStoredAudio } = await import("../../media/audio_probe/probe_stored_audio.ts");
    const { duration, chapters, problem } = await probeStoredAudio(path, AbortSignal.timeout(MAX_PROBE_MS));
    if (problem) logInfo({ message: "audio was not measured completely", episode_id, path, problem });
    await serviceSql`
      select private.finish_audio_probe(${episode_id}, ${path}, ${duration ?? null}::float8::numeric,
        ${JSON.stringify(chapters)}::text::jsonb)`;
  },
};
