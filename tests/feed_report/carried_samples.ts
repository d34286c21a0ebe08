// Samples for the rules of imported tags in carried_rules.ts.
import { of, type Samples } from "./sample_tags.ts";

const media = 'xmlns:media="http://search.yahoo.com/mrss/"';
const slash = 'xmlns:slash="http://purl.org/rss/1.0/modules/slash/"';
const dc = 'xmlns:dc="http://purl.org/dc/elements/1.1/"';
const g = 'xmlns:g="http://base.google.com/ns/1.0"';
const geo = 'xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#"';

export const carriedSamples: Record<string, Samples> = {
  "carried-name": of("any", [
    '<podcast:chat server="irc.example"/>',
    '<x:a xmlns:x="https://x.example/" b="1"><x:b>1</x:b></x:a>',
    `<dc:creator ${dc}>Ana</dc:creator><dc:date.created ${dc}>2024-05-01</dc:date.created>`,
    "<itunes:subtitle>Short</itunes:subtitle>",
  ], [
    "<order>1</order>",
    "<itunes:order>1</itunes:order>",
    "<itunes:isClosedCaptioned>Yes</itunes:isClosedCaptioned>",
    "<atom:name>Ana</atom:name>",
    `<dc:foo ${dc}/>`,
    '<x:a xmlns:x="https://x.example/"><b/></x:a>',
    "<managingeditor>ana@a.example (Ana)</managingeditor>",
  ]),
  "carried-value": of("any", [
    `<media:thumbnail ${media} url="https://a.example/1.jpg" width="9" xml:lang="de-AT"/>`,
    `<media:rating ${media} scheme="urn:simple">adult</media:rating><media:rating ${media}>nonadult</media:rating>`,
    `<media:restriction ${media} relationship="deny" type="country">DE at</media:restriction>`,
    `<media:hash ${media}>dfdec888b72151965a34b4b59031290a</media:hash>`,
    `<dc:date ${dc}>2024</dc:date>`,
    `<geo:Point ${geo}><geo:lat>48.2</geo:lat><geo:long>-16.37</geo:long></geo:Point>`,
    "<atom:author><atom:name>Ana</atom:name><atom:email>ana@a.example</atom:email></atom:author>",
    '<atom:link rel="payment" href="https://a.example/give" hreflang="en" length="0" type="text/html; charset=utf-8"/>',
  ], [
    `<media:thumbnail ${media} url="1 2.jpg"/>`,
    `<media:thumbnail ${media} width="9"/>`,
    `<media:thumbnail ${media} url="https://a.example/1.jpg" width="wide"/>`,
    `<media:thumbnail ${media} url="https://a.example/1.jpg" foo="1"/>`,
    `<media:thumbnail ${media} url="https://a.example/1.jpg">1</media:thumbnail>`,
    `<media:rating ${media}>PG</media:rating>`,
    `<media:rating ${media} scheme="none">PG</media:rating>`,
    `<media:credit ${media} role="boss">Ana</media:credit>`,
    `<media:restriction ${media} relationship="deny" type="country">XX</media:restriction>`,
    `<media:restriction ${media}>all</media:restriction>`,
    `<media:hash ${media} algo="sha-1">dfdec888b72151965a34b4b59031290a</media:hash>`,
    `<dc:date ${dc}>Wed, 01 May 2024 10:00:00 GMT</dc:date>`,
    `<dc:date ${dc}>2023-02-29</dc:date>`,
    `<dc:language ${dc}>klingon</dc:language>`,
    `<geo:Point ${geo}><geo:lat>48.2</geo:lat></geo:Point>`,
    `<geo:lat ${geo}>91</geo:lat>`,
    "<atom:author><atom:uri>https://a.example/</atom:uri></atom:author>",
    "<atom:author><atom:name>A</atom:name><atom:name>B</atom:name></atom:author>",
    '<atom:link rel="payment"/>',
    '<podcast:chat server="irc.example" xml:lang="klingon"/>',
    '<x:a xmlns:x="urn:x"/>',
    `<itunes:subtitle>${"s".repeat(256)}</itunes:subtitle>`,
  ]),
  "carried-single": of("any", [
    `<dc:creator ${dc}>Ana</dc:creator><dc:creator ${dc}>Bo</dc:creator>`,
    "<podcast:chat/><podcast:chat/>",
  ], [
    `<dc:title ${dc}>One</dc:title><dc:title ${dc}>Two</dc:title>`,
    `<media:title ${media}>One</media:title><m:title xmlns:m="http://search.yahoo.com/mrss/">Two</m:title>`,
  ]),
  "carried-unchecked": of("any", [`<dc:creator ${dc}>Ana</dc:creator>`], [`<g:price ${g}>1 EUR</g:price>`]),
};

/** Tags that one of the places may not have. */
export const ofChannels: Samples = of("channel", [
  "<textInput><title>Find</title><description>Find</description><name>q</name><link>https://a.example/</link></textInput>",
  "<webMaster>ana@a.example (Ana)</webMaster><rating>G</rating>",
], [
  "<textInput><title>Find</title></textInput>",
  "<textInput><title>Find</title><description>Find</description><name>42</name><link>https://a.example/</link></textInput>",
  "<managingEditor>Ana</managingEditor>",
]);
export const ofItems: Samples = of("item", [
  "<comments>https://a.example/1</comments>",
  '<source url="https://a.example/feed.xml">A</source>',
  `<slash:comments ${slash}>3</slash:comments><slash:hit_parade ${slash}>3,2, 1</slash:hit_parade>`,
  "<itunes:author>Ana</itunes:author>",
], [
  "<comments>a.example</comments>",
  "<source>A</source>",
  `<slash:comments ${slash}>many</slash:comments>`,
  "<author>Ana</author>",
  `<itunes:author>${"a".repeat(256)}</itunes:author>`,
]);
