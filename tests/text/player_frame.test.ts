// The frame of players on other pages: sizes, and parameters.
import { deepStrictEqual as deepEqual, strictEqual as equal } from "node:assert";
import { parseTime } from "../../functions/text/clock_times.ts";
import { fitPlayer } from "../../functions/text/player_frame.ts";
import { playerQuery, readPlayerOptions } from "../../functions/text/player_options.ts";

Deno.test("fitPlayer returns the largest layout within the limits, and none below 180 by 80 pixels", () => {
  for (
    const [width, height, hasList, expected] of [
      [Infinity, Infinity, false, [600, 180]],
      [Infinity, Infinity, true, [600, 420]],
      [599, 419, true, [599, 180]],
      [320, 180, false, [320, 180]],
      [319, 1000, true, [319, 80]],
      [1000, 179, false, [600, 80]],
      [180, 80, true, [180, 80]],
      [179, 500, false, undefined],
      [500, 79, false, undefined],
    ] as const
  ) {
    deepEqual(fitPlayer(width, height, hasList), expected && { width: expected[0], height: expected[1] });
  }
});

Deno.test("parseTime reads seconds, clock times and units, and nothing else", () => {
  const times = {
    0: 0,
    90: 90,
    "1:30": 90,
    "1:02:03": 3723,
    "90s": 90,
    "1m30s": 90,
    "1h2m3s": 3723,
    "2h": 7200,
    "5m": 300,
  };
  for (const [text, seconds] of Object.entries(times)) equal(parseTime(text), seconds, text);
  for (
    const text of ["", "s", "-1", "1.5", "1m30", "30s1m", "1:2:3:4", "1:234", "9999999", "1e3", " 5", null, undefined]
  ) {
    equal(parseTime(text), undefined, String(text));
  }
});

Deno.test("readPlayerOptions keeps valid parameters, which playerQuery writes", () => {
  const options = readPlayerOptions({ theme: "dark", accent: "#0A6c74", lang: "pt-BR", t: "1m30s" });
  deepEqual(options, { theme: "dark", accent: "#0A6c74", lang: "pt", t: 90 });
  equal(playerQuery(options), "?theme=dark&lang=pt&t=90&accent=0A6c74");
  const bad = readPlayerOptions({ theme: "auto", accent: "#12345", lang: "tlh", t: "soon" });
  deepEqual(bad, { theme: undefined, accent: undefined, lang: undefined, t: undefined });
  equal(playerQuery(bad), "");
  equal(playerQuery({ t: 0 }), "");
});
