// Samples for the rules of the podcast namespace in namespace_rules.ts.
import {
  alternate,
  GUID,
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

const split = (inside: string, attributes = `startTime="60" duration="237"`) =>
  value(`${recipient}<podcast:valueTimeSplit ${attributes}>${inside}</podcast:valueTimeSplit>`);
const trailer = (attributes: string, title = "Soon") => `<podcast:trailer ${attributes}>${title}</podcast:trailer>`;
const integrity = (attributes: string) => alternate(`${source}<podcast:integrity ${attributes}/>`);

export const namespaceSamples: Record<string, Samples> = {
  "podcast-podping": of(
    "channel",
    [`<podcast:podping usesPodping="true"/>`, `<podcast:podping usesPodping="false"/>`],
    ["<podcast:podping/>", `<podcast:podping usesPodping="yes"/>`],
  ),
  "podcast-block": of(
    "channel",
    [
      "<podcast:block>yes</podcast:block>",
      `<podcast:block>yes</podcast:block><podcast:block id="google">no</podcast:block>`,
    ],
    [
      "<podcast:block>Yes</podcast:block>",
      `<podcast:block id="">no</podcast:block>`,
      `<podcast:block id="google">no</podcast:block><podcast:block id="google">yes</podcast:block>`,
      "<podcast:block>no</podcast:block><podcast:block>yes</podcast:block>",
    ],
  ),
  "podcast-trailer": of(
    "channel",
    [
      trailer(
        `url="https://a.example/t.mp3" pubdate="Thu, 01 Apr 2021 08:00:00 +0000" length="9" type="audio/mpeg" season="4"`,
      ),
    ],
    [
      trailer(`url="https://a.example/t.mp3"`),
      trailer(`pubdate="Thu, 01 Apr 2021 08:00:00 +0000"`),
      trailer(`url="https://a.example/t.mp3" pubdate="2021-04-01"`),
      trailer(`url="https://a.example/t.mp3" pubdate="Thu, 01 Apr 2021 08:00:00 +0000" season="four"`),
      trailer(`url="https://a.example/t.mp3" pubdate="Thu, 01 Apr 2021 08:00:00 +0000" length="1 MB"`),
      trailer(`url="https://a.example/t.mp3" pubdate="Thu, 01 Apr 2021 08:00:00 +0000" type="mp3"`),
      trailer(`url="https://a.example/t.mp3" pubdate="Thu, 01 Apr 2021 08:00:00 +0000"`, long(129)),
      trailer(`url="https://a.example/t.mp3" pubdate="Thu, 01 Apr 2021 08:00:00 +0000"`, ""),
    ],
  ),
  "podcast-update-frequency": of(
    "channel",
    [
      schedule(""),
      schedule(`complete="true"`),
      schedule(`rrule="FREQ=YEARLY;BYDAY=+4TH;BYMONTH=11"`),
      schedule(`rrule="FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;COUNT=10" dtstart="2023-08-28T00:00:00.000Z"`),
      schedule(`rrule="FREQ=WEEKLY;UNTIL=2023-12-31T00:00:00.000Z;BYDAY=MO" dtstart="20230828T000000Z"`),
    ],
    [
      schedule("", ""),
      schedule("", long(129)),
      schedule(`complete="yes"`),
      schedule(`rrule="weekly"`),
      schedule(`rrule="INTERVAL=2"`),
      schedule(`rrule="FREQ=WEEKLY;COUNT=10"`),
      schedule(`dtstart="tomorrow"`),
      schedule(`dtstart="2026-13-01"`),
    ],
  ),
  "podcast-podroll": of("channel", [`<podcast:podroll>${remote}${remote}</podcast:podroll>`], [
    "<podcast:podroll/>",
    "<podcast:podroll><title>A</title></podcast:podroll>",
  ]),
  "podcast-publisher": of(
    "channel",
    [`<podcast:publisher><podcast:remoteItem medium="publisher" feedGuid="${GUID}"/></podcast:publisher>`],
    [`<podcast:publisher>${remote}</podcast:publisher>`, "<podcast:publisher/>"],
  ),
  "podcast-remote-item": of(
    "any",
    [
      remote,
      `<podcast:remoteItem feedGuid="${GUID}" feedUrl="https://a.example/f" itemGuid="a" medium="musicL" title="A"/>`,
    ],
    [
      `<podcast:remoteItem feedUrl="https://a.example/f"/>`,
      `<podcast:podroll><podcast:remoteItem feedGuid="a"/></podcast:podroll>`,
      `<podcast:remoteItem feedGuid="${GUID}" feedUrl="a"/>`,
      `<podcast:remoteItem feedGuid="${GUID}" itemGuid=" "/>`,
      split(`<podcast:remoteItem feedGuid="${GUID}" medium="radio"/>`),
    ],
  ),
  "podcast-season": of(
    "item",
    [
      `<podcast:season name="Races">0</podcast:season><podcast:episode display="Ch.3">315.5</podcast:episode>`,
      `<podcast:season name="${long(128)}">1</podcast:season><podcast:episode display="${
        long(32)
      }">1</podcast:episode>`,
    ],
    [
      "<podcast:season>two</podcast:season>",
      `<podcast:season name="${long(129)}">1</podcast:season>`,
      `<podcast:season name=" ">1</podcast:season>`,
      `<podcast:episode display="${long(33)}">1</podcast:episode>`,
      "<podcast:episode>1a</podcast:episode>",
    ],
  ),
  "podcast-soundbite": of(
    "item",
    [
      `<podcast:soundbite startTime="73.0" duration="60.0"/>`,
      `<podcast:soundbite startTime="0" duration="0.5">${long(128)}</podcast:soundbite>`,
    ],
    [
      `<podcast:soundbite startTime="73"/>`,
      `<podcast:soundbite startTime="1:13" duration="60"/>`,
      `<podcast:soundbite startTime="73" duration="0"/>`,
      `<podcast:soundbite startTime="73" duration="1e2"/>`,
      `<podcast:soundbite startTime="73" duration="60">${long(129)}</podcast:soundbite>`,
    ],
  ),
  "podcast-content-link": of("item", [
    `<podcast:contentLink href="https://a.example/">Watch</podcast:contentLink>`,
    `<podcast:contentLink href="spotify:episode:1">Listen</podcast:contentLink>`,
  ], [
    `<podcast:contentLink href="https://a.example/"/>`,
    `<podcast:contentLink href="a">Watch</podcast:contentLink>`,
    `<podcast:contentLink href="javascript:x">Watch</podcast:contentLink>`,
  ]),
  "podcast-alternate-enclosure": of(
    "item",
    [
      alternate(source),
      alternate(
        `<podcast:source uri="https://a.example/1.torrent" contentType="application/x-bittorrent"/>${source}`,
        `type="video/mp4" length="7924786" bitrate="511276.52" height="720" lang="en-US" title="HD" rel="hd"
        codecs="avc1.64001e, mp4a.40.2" default="true"`,
      ),
      integrity(`type="sri" value="sha384-ExVqijgYHm15PqQqdXfW95x+Rs6C+d6E/ICxyQOeFevnxNLR/wtJNrNYTjIysUBo"`),
      integrity(`type="pgp-signature" value="LS0tLS1CRUdJTiBQR1A="`),
    ],
    [
      alternate(""),
      alternate(source, ""),
      alternate(source, `type="opus"`),
      alternate(source, `type="audio/opus" length="1 MB"`),
      alternate(source, `type="audio/opus" lang="english_uk"`),
      alternate(source, `type="audio/opus" default="yes"`),
      alternate(source, `type="video/mp4" height="0"`),
      alternate(source, `type="audio/opus" bitrate="128k"`),
      alternate(source, `type="video/mp4" height="720p"`),
      alternate(`<podcast:source uri="/a.opus"/>`),
      alternate(`<podcast:source uri="data:audio/opus,x"/>`),
      alternate(`<podcast:source uri="https://[a"/>`),
      alternate(`<podcast:source uri="ipfs://QmX1" contentType="opus"/>`),
      alternate(`${source}<podcast:value/>`),
      integrity(`type="md5" value="abc"`),
      integrity(`type="sri" value="abc"`),
      integrity(`type="pgp-signature"`),
      alternate(`${source}${`<podcast:integrity type="sri" value="sha256-a"/>`.repeat(2)}`),
    ],
  ),
  "podcast-location": of(
    "any",
    [
      location(""),
      location(`rel="creator" geo="geo:30.2711286,-97.7436995" osm="R113314" country="US"`),
      location(`geo="geo:1,2,3;u=40;crs=wgs84" osm="W1#2"`),
    ],
    [
      location("", " "),
      location("", long(129)),
      location(`rel="about"`),
      location(`geo="30.27,-97.74"`),
      location(`osm="113314"`),
      location(`country="USA"`),
    ],
  ),
  "podcast-license": of(
    "any",
    [
      "<podcast:license>cc-by-4.0</podcast:license>",
      `<podcast:license url="https://a.example/l">own</podcast:license>`,
    ],
    [
      "<podcast:license> </podcast:license>",
      `<podcast:license>${long(129)}</podcast:license>`,
      `<podcast:license url="l.pdf">own</podcast:license>`,
    ],
  ),
  "podcast-image": of(
    "any",
    [
      `<podcast:image href="https://a.example/1.jpg"/>`,
      `<podcast:image href="https://a.example/1.mp4" alt="A" aspect-ratio="16/9" width="1280" height="720"
        type="video/mp4" purpose="artwork social"/>`,
    ],
    [
      `<podcast:image alt="A"/>`,
      `<podcast:image href="https://a.example/1.jpg" aspect-ratio="wide"/>`,
      `<podcast:image href="https://a.example/1.jpg" width="100px"/>`,
      `<podcast:image href="https://a.example/1.jpg" height="0"/>`,
      `<podcast:image href="https://a.example/1.jpg" height="50%"/>`,
      `<podcast:image href="https://a.example/1.jpg" type="jpeg"/>`,
      `<podcast:image href="https://a.example/1.jpg" purpose="${long(129)}"/>`,
    ],
  ),
  "podcast-social-interact": of(
    "any",
    [
      `<podcast:socialInteract protocol="disabled"/>`,
      `<podcast:socialInteract priority="1" protocol="activitypub" uri="https://a.example/@dave/1" accountId="@dave"
        accountUrl="https://a.example/@dave"/>`,
      `<podcast:socialInteract protocol="atproto" uri="at://did:plc:abc/app.bsky.feed.post/1"/>`,
    ],
    [
      `<podcast:socialInteract uri="https://a.example/1"/>`,
      `<podcast:socialInteract protocol="activitypub"/>`,
      `<podcast:socialInteract protocol="disabled" uri="https://a.example/1"/>`,
      `<podcast:socialInteract protocol="activitypub" uri="https://a.example/1" accountUrl="@dave"/>`,
      `<podcast:socialInteract protocol="activitypub" uri="https://a.example/1" priority="high"/>`,
    ],
  ),
  "podcast-value": of(
    "any",
    [
      value(recipient),
      value(
        `<podcast:valueRecipient name="A" type="lnaddress" address="a@b.example" split="5.5" fee="true"/>${recipient}`,
        `type="lightning" method="keysend" suggested="0.00000015000"`,
      ),
    ],
    [
      value(""),
      value(recipient, `type="lightning"`),
      value(recipient, `method="keysend"`),
      value(recipient, `type="lightning" method="keysend" suggested="a bit"`),
      value(`<podcast:valueRecipient type="node" split="40"/>`),
      value(`<podcast:valueRecipient type="node" address="02d5" split="40%"/>`),
      value(`<podcast:valueRecipient type="node" address="02d5" split="40" fee="no"/>`),
    ],
  ),
  "podcast-value-time-split": of(
    "any",
    [
      split(recipient),
      split(remote, `startTime="60" duration="237.5" remoteStartTime="174" remotePercentage="95"`),
      split(remote, `startTime="60" duration="237" remotePercentage="101"`),
    ],
    [
      split(""),
      split(`${remote}${recipient}`),
      split(`${remote}${remote}`),
      split(recipient, `startTime="60"`),
      split(remote, `startTime="60" duration="237" remotePercentage="half"`),
      split(recipient, `duration="237"`),
      split(recipient, `startTime="60" duration="237" remoteStartTime="0:10"`),
      split(`<podcast:valueRecipient type="node" split="1"/>`),
    ],
  ),
  "podcast-guid": of("channel", [`<podcast:guid>${GUID}</podcast:guid>`], [
    "",
    "<podcast:guid>917393e3</podcast:guid>",
  ]),
  "podcast-locked": of(
    "channel",
    [`<podcast:locked>no</podcast:locked>`, `<podcast:locked owner="a@b.example">yes</podcast:locked>`],
    ["<podcast:locked>true</podcast:locked>", `<podcast:locked owner="Ana">yes</podcast:locked>`],
  ),
  "podcast-chapters": of(
    "item",
    [`<podcast:chapters url="https://a.example/1.json" type="application/json+chapters"/>`],
    [
      `<podcast:chapters url="1.json" type="application/json+chapters"/>`,
      `<podcast:chapters url="https://a.example/1.json" type="text/plain"/>`,
    ],
  ),
  "podcast-txt": of(
    "any",
    [
      `<podcast:txt>${long(4000)}</podcast:txt>`,
      `<podcast:txt purpose="${long(128)}">x</podcast:txt>`,
      `<podcast:txt purpose="ai-content">false</podcast:txt>`,
    ],
    [
      `<podcast:txt>${long(4001)}</podcast:txt>`,
      `<podcast:txt purpose="${long(129)}">x</podcast:txt>`,
      `<podcast:txt purpose="ai-content">partly</podcast:txt>`,
    ],
  ),
  "podcast-funding": of(
    "any",
    [`<podcast:funding url="https://a.example/">Give</podcast:funding>`],
    [
      `<podcast:funding url="a">Give</podcast:funding>`,
      `<podcast:funding url="https://a.example/">${long(129)}</podcast:funding>`,
    ],
  ),
  "podcast-person": of(
    "any",
    [
      "<podcast:person>Ana</podcast:person>",
      `<podcast:person role="Host" group="Cast" img="https://a.example/a.jpg" href="https://a.example/">${
        long(128)
      }</podcast:person>`,
    ],
    [
      "<podcast:person> </podcast:person>",
      `<podcast:person>${long(129)}</podcast:person>`,
      `<podcast:person img="a.jpg">Ana</podcast:person>`,
      `<podcast:person href="a">Ana</podcast:person>`,
      `<podcast:person role="${long(129)}">Ana</podcast:person>`,
      `<podcast:person group="${long(129)}">Ana</podcast:person>`,
    ],
  ),
  "podcast-transcript": of(
    "item",
    [`<podcast:transcript url="https://a.example/1.vtt" type="text/vtt" language="de-AT" rel="captions"/>`],
    [
      `<podcast:transcript url="https://a.example/1.vtt"/>`,
      `<podcast:transcript type="text/vtt"/>`,
      `<podcast:transcript url="https://a.example/1.vtt" type="text/vtt" language="German language"/>`,
      `<podcast:transcript url="https://a.example/1.vtt" type="text/vtt" rel="subtitles"/>`,
    ],
  ),
};
