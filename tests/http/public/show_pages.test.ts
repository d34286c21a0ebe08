// The lists of a podcast's page: numbered pages and searches; the neighbors of an episode's page.
import assert from "node:assert/strict";
import { TEXTS } from "../../../functions/text/languages/all.ts";
import { fill, LANGUAGES } from "../../../functions/text/languages/texts.ts";
import { fetchDocumented } from "../documented_responses.ts";
import { podcast, sql, stackInfo } from "../harness.ts";

const show = await podcast("Many parts");
await sql`
  insert into public.episodes (podcast_id, title, slug, status, published_at, audio_url, audio_file_size_bytes,
    audio_content_type, description)
  select ${show.id}, 'Part <' || n || '>', 'part-' || n, 'published', '2026-01-01Z'::timestamptz + n * interval '1 hour',
    'https://media.example/' || n || '.mp3', 10, 'audio/mpeg', case when n % 25 = 0 then 'A harbor' else 'Elsewhere' end
  from generate_series(1, 101) n`;
const url = `${stackInfo.functionsUrl}/public/listen/${show.slug}`;

async function open(address: string) {
  const response = await fetchDocumented(address), text = await response.text();
  assert.equal(response.status, 200, text);
  const parts = [...text.matchAll(/<h3 dir="auto"><a href="[^"]+\/part-(\d+)">/g)].map(([, n]) => Number(n));
  const link = (rel: string) => new RegExp(`<link rel="${rel}" href="([^"]+)">`).exec(text)?.[1];
  return {
    ...{ text, parts, canonical: link("canonical"), prev: link("prev"), next: link("next") },
    title: /<title>([^<]*)<\/title>/.exec(text)![1],
    more: /<a class="button" href="([^"]+)" rel="next" data-more>More episodes</.exec(text)?.[1].replace("&amp;", "&"),
  };
}
const range = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, n) => from - n);

Deno.test("a podcast's page shows the newest episodes, and each page of older ones has its own title and address", async () => {
  const newest = await open(url);
  assert.deepEqual(newest.parts, range(101, 81));
  assert.deepEqual([newest.title, newest.canonical, newest.prev, newest.next, newest.more], [
    "Many parts",
    url,
    undefined,
    "?page=4",
    "?page=4",
  ]);
  const shown = [[4, 80, url, "?page=3"], [3, 60, "?page=4", "?page=2"], [1, 20, "?page=2", undefined]] as const;
  for (const [number, first, newer, older] of shown) {
    const page = await open(`${url}?page=${number}`);
    assert.deepEqual(page.parts, range(first, first - 19));
    assert.deepEqual([page.title, page.canonical, page.prev, page.next, page.more], [
      `Page ${number} · Many parts`,
      `${url}?page=${number}`,
      newer,
      older,
      older,
    ]);
    assert.doesNotMatch(page.text, /Play latest episode/);
  }
  assert.deepEqual((await open(`${url}?page=6`)).parts, [101]);
});

Deno.test("an address with a cursor, as older pages had, shows the newest episodes", async () => {
  assert.deepEqual((await open(`${url}?cursor=MTc4Mjg4NTYwMC4wMDAwMDAgN2QzYzZhNTI`)).parts, range(101, 81));
});

Deno.test("a search on a podcast's page finds its episodes, page by page, and is nothing for search engines", async () => {
  const { text, parts, title, canonical, more } = await open(`${url}?q=HARBOR`);
  assert.deepEqual([parts, title, canonical, more], [[100, 75, 50, 25], "HARBOR · Many parts", undefined, undefined]);
  assert.match(text, /<meta name="robots" content="noindex">/);
  assert.match(text, /<span role="status">Results for “HARBOR”: 4<\/span>/);
  assert.match(text, /<input type="search" name="q" value="HARBOR"/);
  const first = await open(`${url}?q=part`);
  assert.deepEqual(first.parts, range(101, 82));
  assert.match(first.text, /Results for “part”: 20\+/);
  assert.deepEqual((await open(url + first.more)).parts, range(81, 62));
});

Deno.test("a search that finds nothing says so, without markup of the words", async () => {
  const { text, parts } = await open(`${url}?${new URLSearchParams({ q: '"><script>alert(1)</script>' })}`);
  assert.deepEqual(parts, []);
  assert.match(text, /No episode matches “&quot;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;”\./);
  assert.doesNotMatch(text, /<script>alert/);
});

Deno.test("numbered pages and searches speak the podcast's language", async () => {
  try {
    for (const language of LANGUAGES) {
      const { page, noResults, results } = TEXTS[language].pages;
      await sql`update public.podcasts set language = ${language} where id = ${show.id}`;
      const shows = async (query: string, text: string) =>
        assert.ok((await open(url + query)).text.includes(text), `${language}: ${text}`);
      await shows("?page=1", `<span>${fill(page, 1)}</span>`);
      await shows("?page=1", `<title>${fill(page, 1)} · Many parts</title>`);
      await shows("?q=nothing", fill(noResults, "nothing"));
      await shows("?q=harbor", fill(results, "harbor", "4"));
    }
  } finally {
    await sql`update public.podcasts set language = 'en' where id = ${show.id}`;
  }
});

Deno.test("a podcast's page offers a search from eleven episodes on", async () => {
  const small = await podcast("Few parts");
  const publish = (count: number) =>
    sql`
      insert into public.episodes (podcast_id, title, status, published_at, audio_url, audio_file_size_bytes,
        audio_content_type)
      select ${small.id}, 'Few', 'published', '2026-01-01Z', 'https://media.example/few.mp3', 10, 'audio/mpeg'
      from generate_series(1, ${count}::int)`;
  const offersSearch = async () =>
    (await open(`${stackInfo.functionsUrl}/public/listen/${small.slug}`)).text.includes('role="search"');
  await publish(10);
  assert.equal(await offersSearch(), false);
  await publish(1);
  assert.equal(await offersSearch(), true);
});

Deno.test("a search for blanks shows the newest episodes", async () => {
  for (const q of ["", "%20"]) assert.deepEqual((await open(`${url}?q=${q}`)).parts, range(101, 81));
});

Deno.test("an episode's page links to the episodes before and after it", async () => {
  const neighbors = async (n: number) => {
    const { text } = await open(`${url}/part-${n}`);
    return [
      ...text.matchAll(
        /<a href="([^"]+)" rel="(prev|next)"><span class="quiet" lang="en">[^<]+<\/span><span dir="auto">([^<]+)</g,
      ),
    ]
      .map(([, href, rel, title]) => `${rel} ${href.slice(url.length)} ${title}`);
  };
  assert.deepEqual(await neighbors(50), ["prev /part-49 Part &lt;49&gt;", "next /part-51 Part &lt;51&gt;"]);
  assert.deepEqual(await neighbors(1), ["next /part-2 Part &lt;2&gt;"]);
  assert.deepEqual(await neighbors(101), ["prev /part-100 Part &lt;100&gt;"]);
});
