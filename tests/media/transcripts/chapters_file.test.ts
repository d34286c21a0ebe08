// Uploaded chapters documents: the rows that they become, and the line of each error.
import { deepStrictEqual as deepEqual, rejects } from "node:assert";
import { parseChapters } from "../../../functions/media/transcripts/chapters_file.ts";

const parse = (document: unknown) =>
  parseChapters(new TextEncoder().encode(typeof document === "string" ? document : JSON.stringify(document, null, 1)));
const absent = { end_seconds: null, url: null, image_url: null, location: null };

Deno.test("parseChapters returns chapters as rows, and takes those without a title out of the table of contents", async () => {
  deepEqual(
    await parse({
      version: "1.2.0",
      author: "Ana",
      chapters: [
        {
          startTime: 168.5,
          endTime: 200,
          title: "Two",
          img: "https://x.test/a.png",
          url: "https://x.test/",
          toc: true,
        },
        { startTime: 0, title: "One", img: "", url: null, endTime: null },
        { startTime: 50, toc: false, location: { name: "Paris", geo: "geo:1,2", osm: "", country: "FR", more: 1 } },
        { startTime: 60, title: " ", location: "" },
      ],
    }),
    [
      {
        start_seconds: 168.5,
        end_seconds: 200,
        title: "Two",
        url: "https://x.test/",
        image_url: "https://x.test/a.png",
        is_in_toc: true,
        location: null,
      },
      { ...absent, start_seconds: 0, title: "One", is_in_toc: true },
      {
        ...absent,
        start_seconds: 50,
        title: null,
        is_in_toc: false,
        location: { name: "Paris", geo: "geo:1,2", country: "FR" },
      },
      { ...absent, start_seconds: 60, title: null, is_in_toc: false },
    ],
  );
});

Deno.test("parseChapters returns 400 INVALID_CHAPTERS with the line of the chapter", async () => {
  const first = { startTime: 0, title: "One" };
  const cases: [unknown, string][] = [
    [{ chapters: [first, 7] }, "Line 7: chapters[1]: expected an object"],
    [{ chapters: [first, {}] }, "Line 7: chapters[1].startTime: expected seconds, from 0"],
    [{ chapters: [first, { startTime: -1 }] }, "Line 7: chapters[1].startTime: expected seconds, from 0"],
    [{ chapters: [first, { startTime: 0.0004 }] }, "Line 7: chapters[1].startTime: expected another start than before"],
    [{ chapters: [{ startTime: 1, endTime: 1 }] }, "Line 3: chapters[0].endTime: expected seconds, after startTime"],
    [
      { chapters: [{ startTime: 1, title: "x".repeat(129) }] },
      "Line 3: chapters[0].title: expected text of at most 128 characters",
    ],
    [{ chapters: [{ startTime: 1, img: "x" }] }, "Line 3: chapters[0].img: expected an http or https URL"],
    [{ chapters: [{ startTime: 1, url: 1 }] }, "Line 3: chapters[0].url: expected an http or https URL"],
    [{ chapters: [{ startTime: 1, toc: "no" }] }, "Line 3: chapters[0].toc: expected true or false"],
    [
      { chapters: [{ startTime: 1, location: "Paris" }] },
      "Line 3: chapters[0].location: expected an object with a name",
    ],
    [
      { chapters: Array.from({ length: 501 }, (_, n) => ({ startTime: n })) },
      "Line 1: an episode can have at most 500 chapters",
    ],
    [{ segments: [] }, "Line 1: expected an object with the list chapters"],
    ['{\n"chapters": [', "Line 2: expected valid JSON"],
  ];
  for (const [document, details] of cases) {
    await rejects(parse(document), {
      status: 400,
      message: "The chapters are invalid",
      extras: { code: "INVALID_CHAPTERS", details },
    });
  }
});

Deno.test("parseChapters returns 400 for text that the database cannot store", async () => {
  await rejects(parse('{"chapters": [{"startTime": 1, "title": "a\\u0000"}]}'), { status: 400 });
});
