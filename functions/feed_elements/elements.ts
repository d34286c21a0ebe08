/**
 * Elements of RSS and its modules that the service does not model, with what their specifications allow. A feed may
 * carry them from another host, and validators reject one that breaks these rules.
 */
import { type ElementRule, FREE } from "./element_rule.ts";
import * as format from "./value_formats.ts";
import type { Format } from "./value_formats.ts";
import { media } from "./media_elements.ts";

const named = (names: string, rule: ElementRule) => Object.fromEntries(names.split(" ").map((name) => [name, rule]));
const single = (rule: ElementRule): ElementRule => ({ ...rule, isSingle: true });

const TEXT: ElementRule = { text: format.anyText };
const leaf = (text: Format, attributes?: Record<string, Format>): ElementRule => ({ text, attributes });
const SINGLE_TEXT = single(TEXT);
const SINGLE_URI = single(leaf(format.URI));
const SINGLE_NATURAL = single(leaf(format.NATURAL));
const RESOURCE = leaf(format.anyText, { "rdf:resource": format.URI_REFERENCE, "dc:title": format.anyText });

const latitude = leaf(format.LATITUDE), longitude = leaf(format.LONGITUDE);

/** https://www.dublincore.org/specifications/dublin-core/dcmi-terms/ */
const dublinCore = {
  ...named("dc:title dc:description dc:type dc:format dc:source dc:rights", SINGLE_TEXT),
  ...named("dc:publisher dc:contributor dc:identifier dc:relation dc:coverage dc:creator dc:subject", TEXT),
  "dc:language": single(leaf(format.LANGUAGE)),
  "dc:date": single(leaf(format.W3C_DATE)),
  ...named("dcterms:alternative dcterms:audience", TEXT),
  ...named(
    "dcterms:abstract dcterms:dateAccepted dcterms:dateCopyrighted dcterms:dateSubmitted dcterms:mediator",
    SINGLE_TEXT,
  ),
  ...named("dcterms:created dcterms:issued dcterms:modified", single(leaf(format.W3C_DATE))),
  ...named(
    "dcterms:valid dcterms:available dcterms:spatial dcterms:temporal dcterms:accessRights dcterms:accrualMethod " +
      "dcterms:accrualPeriodicity dcterms:accrualPolicy dcterms:bibliographicCitation dcterms:educationLevel " +
      "dcterms:instructionalMethod dcterms:license dcterms:provenance dcterms:rightsHolder",
    FREE,
  ),
  "dcterms:extent": single(leaf(format.POSITIVE)),
  "dcterms:tableOfContents": single(RESOURCE),
  ...named(
    "dcterms:isVersionOf dcterms:hasVersion dcterms:isReplacedBy dcterms:replaces dcterms:isRequiredBy " +
      "dcterms:requires dcterms:isPartOf dcterms:hasPart dcterms:isReferencedBy dcterms:references " +
      "dcterms:isFormatOf dcterms:hasFormat dcterms:conformsTo",
    RESOURCE,
  ),
};

/** https://docs.ogc.org/cs/17-002r1/17-002r1.html, https://www.w3.org/2003/01/geo/ */
const places = {
  "geo:Point": {
    children: { "geo:lat": latitude, "geo:long": longitude },
    required: ["geo:lat", "geo:long"],
  },
  ...named("geo:lat geourl:latitude icbm:latitude", latitude),
  ...named("geo:long geourl:longitude icbm:longitude", longitude),
  "geo:alt": leaf(format.SIGNED_NUMBER),
  "georss:point": leaf(format.POINT),
  ...named("georss:line georss:polygon", leaf(format.POINTS)),
  ...named("georss:featureTypeTag georss:relationshipTag georss:featureName", TEXT),
  "georss:elev": leaf(format.SIGNED_NUMBER),
  "georss:floor": leaf(format.INTEGER),
  "georss:radius": leaf(format.NUMBER),
};

const person: ElementRule = {
  children: {
    "atom:name": SINGLE_TEXT,
    "atom:email": single(leaf(format.ADDRESS)),
    "atom:uri": single(leaf(format.URI_REFERENCE)),
  },
  required: ["atom:name"],
};
const atomText = single(leaf(format.anyText, { type: format.oneOf("text", "html") }));
/** https://www.rfc-editor.org/rfc/rfc4287 */
const atom = {
  "atom:contributor": person,
  "atom:id": SINGLE_URI,
  "atom:link": {
    attributes: {
      href: format.URI_REFERENCE,
      rel: format.anyText,
      type: format.MEDIA_TYPE,
      title: format.anyText,
      length: format.NATURAL,
      hreflang: format.LANGUAGE,
    },
    required: ["@href"],
    text: format.anyText,
    children: "any",
  } as ElementRule,
  "atom:title": atomText,
  "atom:updated": single(leaf(format.RFC_3339)),
};

const anywhere = {
  ...dublinCore,
  ...places,
  ...media,
  ...atom,
  "cc:license": FREE,
  "creativeCommons:license": leaf(format.URI), // https://cyber.harvard.edu/rss/creativeCommonsRssModule.html
  "feedburner:awareness": SINGLE_URI,
  "foaf:maker": FREE,
  "itunes:subtitle": single(leaf(format.upTo(255))),
  ...named("rdf:RDF rdf:type rdf:Description taxo:topics", FREE),
  "rdfs:seeAlso": RESOURCE,
};

/** Of a channel: what it may have besides the elements that the service models, replaces or never carries. */
const channel: Record<string, ElementRule> = {
  ...anywhere,
  ...named("managingEditor webMaster", single(leaf(format.MAILBOX))),
  "rating": SINGLE_TEXT,
  "textInput": {
    children: {
      "title": SINGLE_TEXT,
      "description": SINGLE_TEXT,
      "name": single(leaf((value) => /^\s*[a-z][\w:.-]*\s*$/i.test(value) ? value : undefined)),
      "link": SINGLE_URI,
    },
    required: ["title", "description", "name", "link"],
    isSingle: true,
  },
  ...named("admin:errorReportsTo admin:generatorAgent", single(RESOURCE)),
  "atom:author": person,
  "atom:category": {
    attributes: { term: format.anyText, scheme: format.URI, label: format.anyText },
    required: ["@term"],
    text: format.anyText,
  },
  "atom:generator": single(leaf(format.anyText, { uri: format.URI_REFERENCE, version: format.anyText })),
  ...named("atom:icon atom:logo", single(leaf(format.URI_REFERENCE))),
  ...named("atom:rights atom:subtitle", atomText),
  ...named("blogChannel:blink blogChannel:blogRoll blogChannel:changes blogChannel:mySubscriptions", SINGLE_URI),
  ...named("feedburner:browserFriendly feedburner:emailServiceId", SINGLE_TEXT),
  "feedburner:feedburnerHostname": SINGLE_URI,
  "feedburner:feedFlare": {
    text: format.anyText,
    attributes: { href: format.anyText, src: format.anyText },
    required: ["@href", "@src"],
  },
  "feedburner:info": { attributes: { uri: format.URI_REFERENCE }, required: ["@uri"] },
  "itunes:summary": single(leaf(format.upTo(4000))),
  "wiki:interwiki": TEXT,
};

const item: Record<string, ElementRule> = {
  ...anywhere,
  "author": single(leaf(format.MAILBOX)),
  "comments": SINGLE_URI,
  "source": { text: format.anyText, attributes: { url: format.URI }, required: ["@url"], isSingle: true },
  "atom:author": single(person),
  "atom:published": single(leaf(format.RFC_3339)),
  "atom:summary": atomText,
  ...named("ev:startdate ev:enddate", single(leaf(format.ISO_DATE))),
  ...named("ev:location ev:organizer foaf:primaryTopic", FREE),
  "ev:type": SINGLE_TEXT,
  "itunes:author": single(leaf(format.upTo(255))),
  "slash:comments": SINGLE_NATURAL,
  ...named("slash:section slash:department", TEXT),
  "slash:hit_parade": single(leaf(format.INTEGERS)),
  "thr:in-reply-to": {
    text: format.anyText,
    attributes: { href: format.URI_REFERENCE, ref: format.URI, source: format.URI_REFERENCE, type: format.MEDIA_TYPE },
  },
  "thr:total": SINGLE_NATURAL,
  "trackback:about": leaf(format.URI),
  "trackback:ping": SINGLE_URI,
  ...named("wfw:comment wfw:commentRss wfw:commentRSS", SINGLE_URI),
  ...named("wiki:diff wiki:history wiki:importance wiki:status wiki:version", TEXT),
};

/** The elements that a part of a feed may carry. */
export const PLACES: Record<"channel" | "item", Record<string, ElementRule>> = { channel, item };
