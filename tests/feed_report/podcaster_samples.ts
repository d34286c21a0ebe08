// Samples for the rules that only the podcaster can follow, in podcaster_rules.ts.
import {
  alternate,
  location,
  long,
  of,
  recipient,
  remote,
  type Samples,
  schedule,
  source,
  value,
} from "./sample_tags.ts";

const thread = (attributes: string) =>
  `<podcast:socialInteract protocol="activitypub" uri="https://a.example/1" ${attributes}/>`;

export const podcasterSamples: Record<string, Samples> = {
  "https": of(
    "any",
    [
      "<link>https://a.example/</link>",
      `<category domain="http://a.example/terms">Rail</category>`,
      `<media:rating xmlns:media="http://search.yahoo.com/mrss/">nonadult</media:rating>`,
    ],
    [
      "<link>http://a.example/</link>",
      `<podcast:funding url="http://a.example/">Give</podcast:funding>`,
      alternate(`<podcast:source uri="http://a.example/1.opus"/>`),
    ],
  ),
  "podcast-license-url": of(
    "any",
    [
      "<podcast:license>CC-BY-NC-ND-4.0</podcast:license>",
      `<podcast:license url="https://a.example/l">own</podcast:license>`,
    ],
    ["<podcast:license>own</podcast:license>"],
  ),
  "image-alt": of("any", [`<podcast:image href="https://a.example/1.jpg" alt="Rails"/>`], [
    `<podcast:image href="https://a.example/1.jpg"/>`,
  ]),
  "publisher-url": of(
    "channel",
    [`<podcast:publisher><podcast:remoteItem feedUrl="https://a.example/f"/></podcast:publisher>`],
    [`<podcast:publisher><podcast:remoteItem medium="publisher"/></podcast:publisher>`],
  ),
  "soundbite-duration": of("item", [`<podcast:soundbite startTime="1" duration="15"/>`], [
    `<podcast:soundbite startTime="1" duration="14.9"/>`,
    `<podcast:soundbite startTime="1" duration="121"/>`,
  ]),
  "alternate-enclosure-names": of("item", [alternate(source, `type="audio/opus" title="${long(32)}"`)], [
    alternate(source, `type="audio/opus" title="${long(33)}"`),
    alternate(source, `type="audio/opus" rel="${long(33)}"`),
  ]),
  "list-medium": of(
    "channel",
    [
      "<podcast:medium>podcast</podcast:medium>",
      `<podcast:medium>musicL</podcast:medium>${remote}`,
      `<podcast:medium>publisher</podcast:medium>${remote}`,
    ],
    [
      "<podcast:medium>mixed</podcast:medium>",
      "<podcast:medium>videoL</podcast:medium>",
      "<podcast:medium>publisher</podcast:medium>",
    ],
  ),
  "schedule-until": of(
    "channel",
    [
      schedule(`rrule="FREQ=WEEKLY;UNTIL=20231231" dtstart="2023-08-28"`),
      schedule(`rrule="UNTIL=2023-12-31T00:00:00Z;FREQ=WEEKLY" dtstart="2023-08-28T00:00:00Z"`),
      schedule(`rrule="FREQ=WEEKLY;UNTIL=20231231"`),
      schedule(`rrule="FREQ=WEEKLY" dtstart="2023-08-28"`),
    ],
    [
      schedule(`rrule="FREQ=WEEKLY;UNTIL=20231231" dtstart="2023-08-28T00:00:00Z"`),
      schedule(`rrule="UNTIL=20231231T000000Z;FREQ=WEEKLY" dtstart="2023-08-28"`),
    ],
  ),
  "title-numbers": of(
    "item",
    ["<title>Paris</title><itunes:title>Paris</itunes:title>", "<title>1984</title>", "<title>7 trains</title>"],
    [
      "<title>Episode 7: Paris</title>",
      "<title>S2E7 Paris</title>",
      "<title>#7 - Paris</title>",
      "<title>Paris</title><itunes:title>7. Paris</itunes:title>",
    ],
  ),
  "social-priority": of(
    "any",
    [
      thread(""),
      thread(`priority="1"`) + thread(`priority="2"`),
      thread("") + `<podcast:socialInteract protocol="disabled"/>`,
    ],
    [thread(`priority="1"`) + thread("")],
  ),
  "recommended-attributes": of(
    "any",
    [
      location(`geo="geo:1,2" osm="R1" country="US"`),
      `<podcast:image href="https://a.example/1.jpg" aspect-ratio="1/1" width="3000"/>`,
      alternate(source, `type="audio/opus" length="9"`),
      thread(`accountId="@dave"`),
      `<podcast:socialInteract protocol="disabled"/>`,
      value(`<podcast:valueRecipient name="A" type="node" address="02d5" split="40"/>`),
      schedule(`rrule="FREQ=WEEKLY"`),
      schedule(`complete="true"`),
    ],
    [
      location(`geo="geo:1,2" country="US"`),
      `<podcast:image href="https://a.example/1.jpg" aspect-ratio="1/1"/>`,
      alternate(source),
      thread(""),
      value(recipient),
      schedule(""),
    ],
  ),
  "transcript-type": of(
    "item",
    ["text/plain", "text/html", "text/vtt", "application/json", "application/x-subrip"].map((type) =>
      `<podcast:transcript url="https://a.example/1" type="${type}"/>`
    ),
    [`<podcast:transcript url="https://a.example/1" type="application/pdf"/>`],
  ),
};
