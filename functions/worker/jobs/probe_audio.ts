/**
 * audio_probes: measures the audio of an episode and reads its chapters with their pictures, where the upload or feed
 * named none, and looks for a seek table. A second run is harmless.
 */
import { z } from "zod";
import { logInfo } from "../../runtime/log.ts";
import { service } from "../../database/service.ts";
import { startHeartbeat } from "../heartbeat.ts";
import type { Job } from "../job.ts";

const schema = z.object({
  type: z.literal("audio_probe"),
  podcast_id: z.guid(),
  episode_id: z.guid(),
  path: z.string().min(1).max(1000),
});

/** For the headers of a file; pictures of chapters that take longer are left out. */
const MAX_PROBE_MS = 40_000, MAX_PICTURES_MS = 60_000;

export const probeAudioJob: Job<z.infer<typeof schema>> = {
  queue: "audio_probes",
  schema,
  batchSize: 1, // a large file delays no other
  visibilityTimeoutSeconds: 60,
  concurrency: 4,
  async run([{ episode_id, path }], context) {
    const isDue = await service("is_audio_probe_due", { episodeId: episode_id, path });
    if (!isDue) return; // replaced, removed, or measured by another run
    const { probeStoredAudio } = await import("../../media/audio_probe/probe_stored_audio.ts");
    const { releasePictures, storeChapterPictures } = await import("../../media/chapter_pictures.ts");
    await using heartbeat = startHeartbeat(context);
    const within = (ms: number) => AbortSignal.any([heartbeat.signal, AbortSignal.timeout(ms)]);
    const { duration, hasSeekTable, chapters, problem, openFile } = await probeStoredAudio(path, within(MAX_PROBE_MS));
    const signal = within(MAX_PICTURES_MS);
    const pictures = await storeChapterPictures({ episodeId: episode_id, audioPath: path }, chapters, {
      signal,
      openFile: () => openFile(signal),
    });
    const found = chapters.map(({ picture, ...chapter }) => ({
      ...chapter,
      imageUrl: picture && pictures.urls.get(picture),
    }));
    const problems = [problem, pictures.problem].filter(Boolean).join("; ");
    if (problems) logInfo({ message: "audio was not read completely", episode_id, path, problem: problems });
    try {
      await service("finish_audio_probe", {
        episodeId: episode_id,
        path,
        durationSeconds: duration ?? null,
        chapters: found,
        hasSeekTable: hasSeekTable ?? null,
      });
    } finally {
      await releasePictures(pictures);
    }
  },
};
