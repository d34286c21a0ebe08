/** What a probe of an audio file finds. */
import { type ByteSource, ProbeLimitError } from "./byte_source.ts";

/** A chapter as the file has it; private.insert_chapters_of_file takes what the table accepts. */
export interface FileChapter {
  /** Seconds. */
  start: number;
  end?: number;
  title?: string;
  url?: string;
  /** False: the file's table of contents does not list it. */
  isInToc?: boolean;
  /** One object for all chapters that share a picture of the file. */
  picture?: FilePicture;
}

/** A picture of a chapter, unread. */
export interface FilePicture {
  /** At least those of the image: what read() reads. */
  bytes: number;
  /** The image, in any format. The source is the file again, which may have other limits than the probe's. */
  read(source: ByteSource): Promise<Uint8Array>;
}

export interface Probe {
  /** Seconds; undefined if the file does not tell them reliably. */
  duration?: number;
  /** False for MP3 of a variable bitrate without a table: apps seek inexactly. Undefined if the file cannot be read. */
  hasSeekTable?: boolean;
  chapters: FileChapter[];
  /** What was left out, for the log. */
  problem?: string;
}

/** More than an episode takes, because some are left out. */
export const MAX_FILE_CHAPTERS = 1000;

/** Chapters that cost too much to read are left out: the duration is kept. */
export async function readChapters(read: () => Promise<FileChapter[]>): Promise<Pick<Probe, "chapters" | "problem">> {
  try {
    return { chapters: await read() };
  } catch (error) {
    if (!(error instanceof ProbeLimitError)) throw error;
    return { chapters: [], problem: `Chapters were left out: ${error.message}` };
  }
}
