/** Namespaces of the modules of RSS. */

/** Modules by their namespace: all whose elements validators check. */
const MODULES = new Map(
  Object.entries({
    atom: "http://www.w3.org/2005/Atom",
    content: "http://purl.org/rss/1.0/modules/content/",
    itunes: "http://www.itunes.com/dtds/podcast-1.0.dtd",
    admin: "http://webns.net/mvcb/",
    blogChannel: "http://backend.userland.com/blogChannelModule",
    cc: "http://web.resource.org/cc/",
    creativeCommons: "http://backend.userland.com/creativeCommonsRssModule",
    dc: "http://purl.org/dc/elements/1.1/",
    dcterms: "http://purl.org/dc/terms/",
    ev: "http://purl.org/rss/1.0/modules/event/",
    feedburner: "http://rssnamespace.org/feedburner/ext/1.0",
    foaf: "http://xmlns.com/foaf/0.1/",
    geo: "http://www.w3.org/2003/01/geo/wgs84_pos#",
    geourl: "http://geourl.org/rss/module/",
    georss: "http://www.georss.org/georss",
    icbm: "http://postneo.com/icbm",
    media: "http://search.yahoo.com/mrss/",
    rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    rdfs: "http://www.w3.org/2000/01/rdf-schema#",
    slash: "http://purl.org/rss/1.0/modules/slash/",
    taxo: "http://purl.org/rss/1.0/modules/taxonomy/",
    thr: "http://purl.org/syndication/thread/1.0",
    trackback: "http://madskills.com/public/xml/rss/module/trackback/",
    wfw: "http://wellformedweb.org/CommentAPI/",
    wiki: "http://purl.org/rss/1.0/modules/wiki/",
    xml: "http://www.w3.org/XML/1998/namespace",
  }).map(([prefix, namespace]) => [normalize(namespace), prefix]),
);

/** Modules that no podcast needs, whose elements have no rules here. */
const UNCHECKED = new Set(
  ("http://a9.com/-/spec/opensearch/1.1/ http://a9.com/-/spec/opensearchrss/1.0/ http://base.google.com/ns/1.0 " +
    "http://conversationsnetwork.org/rssNamespace-1.0/ http://earth.google.com/kml/2.0 " +
    "http://earth.google.com/kml/2.1 http://feedsync.org/2007/feedsync " +
    "http://hacks.benhammersley.com/rss/streaming/ http://media.tangent.org/rss/1.0/ " +
    "http://my.netscape.com/rdf/simple/0.9/ http://my.theinfo.org/changed/1.0/rss/ http://openid.net/xmlns/1.0 " +
    "http://purl.org/net/rss1.1# http://purl.org/rss/1.0/modules/aggregation/ " +
    "http://purl.org/rss/1.0/modules/annotate/ http://purl.org/rss/1.0/modules/company " +
    "http://purl.org/rss/1.0/modules/email/ http://purl.org/rss/1.0/modules/image/ " +
    "http://purl.org/rss/1.0/modules/link/ http://purl.org/rss/1.0/modules/reference/ " +
    "http://purl.org/rss/1.0/modules/richequiv/ http://purl.org/rss/1.0/modules/rss091# " +
    "http://purl.org/rss/1.0/modules/search/ http://purl.org/rss/1.0/modules/servicestatus/ " +
    "http://purl.org/rss/1.0/modules/subscription/ http://purl.org/rss/1.0/modules/syndication/ " +
    "http://purl.org/rss/1.0/modules/threading/ http://purl.org/syndication/history/1.0 " +
    "http://schemas.xmlsoap.org/soap/envelope/ http://www.bloglines.com/about/specs/fac-1.0 " +
    "http://www.microsoft.com/schemas/rss/core/2005 http://www.opengis.net/gml http://www.opengis.net/kml/2.2 " +
    "http://www.opml.org/spec2 http://www.usemod.com/cgi-bin/mb.pl?ModWiki http://www.w3.org/1998/Math/MathML " +
    "http://www.w3.org/1999/xhtml http://www.w3.org/1999/xlink http://www.w3.org/2000/svg " +
    "http://www.w3.org/2007/app urn:atom-extension:indexing xri://$xrd*($v*2.0) xri://$xrds")
    .split(" ").map(normalize),
);

/** Validators ignore letter case and a sign at the end. */
function normalize(namespace: string): string {
  let end = namespace.length;
  while (end > 0 && !/\w/.test(namespace[end - 1])) end--;
  return namespace.slice(0, end).toLowerCase();
}

/** A name with the prefix of its module; undefined in other namespaces. */
export function nameInModule(namespace: string, local: string): string | undefined {
  const prefix = namespace ? MODULES.get(normalize(namespace)) : "";
  return prefix === undefined ? undefined : prefix ? `${prefix}:${local}` : local;
}

export const isUnchecked = (namespace: string) => UNCHECKED.has(normalize(namespace));
