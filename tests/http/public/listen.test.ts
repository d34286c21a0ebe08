// /listen: the pages that feeds link to, and the embedded players.
import assert from "node:assert/strict";
import { TEXTS } from "../../../functions/text/languages/all.ts";
import { toPlainText } from "../../../functions/text/plain_text.ts";
import { fetchDocumented } from "../documented_responses.ts";
import { assertError, callRpc, episode, person, podcast, sendRequest, sql, stackInfo } from "../harness.ts";
import { put } from "../api/audio.ts";

const owner = await person("owner");
const show = await podcast("Listen & learn");
const made = await episode(show, `A "quoted" <script>alert(1)</script> title`);
await put(show, made, { query: { duration: "125" } });
const draft = await episode(show, "Not yet");
const path = `/public/listen/${show.slug}`;
const get = (path: string) => sendRequest({ method: "GET", path });

Deno.test("a podcast without published episodes has no page", async () => {
  assertError(await get(path), 404, { error: "Podcast not found" });
  assertError(await get(`/public/latest/${show.slug}`), 404, { error: "Podcast not found" });
});

Deno.test("a published episode has a page with its audio and is listed on the podcast's page", async () => {
  await callRpc(owner, "publish_episode", { episode_id: made.id });
  const { data } = await owner.client.from("episodes").select("slug, audio_url").eq("id", made.id).single();
  const { status, text, headers } = await get(`${path}/${data!.slug}`);
  assert.equal(status, 200, text);
  assert.match(text, new RegExp(`<source src="${data!.audio_url}" type="audio/mpeg">`));
  assert.match(text, /A &quot;quoted&quot; &lt;script&gt;alert\(1\)&lt;\/script&gt; title/);
  assert.equal(text.match(/<script/g)!.length, 4, "data of the player, linked data, the player and the page's script");
  assert.match(headers.get("content-security-policy")!, /^default-src 'none'/);
  assert.match((await get(path)).text, new RegExp(`href="[^"]*/listen/${show.slug}/${data!.slug}"`));
});

Deno.test("an episode's page lists credited people with their links, and initials for pictures of other hosts", async () => {
  const add = (name: string, more = {}) =>
    callRpc(owner, "add_episode_person", { episode_id: made.id, source_type: "external", name, ...more });
  await add("Zoe <b>", {
    role_label: "Composer",
    avatar_url: "https://media.example/zoe.jpg",
    external_url: "https://zoe.example/?a=1&b=2",
  });
  await add("Ben", { role_label: "Editor" });
  const { data } = await owner.client.from("episodes").select("slug").eq("id", made.id).single();
  const { text } = await get(`${path}/${data!.slug}`);
  const people = [.../<ul class="people"[^]*?<\/ul>/.exec(text)![0].matchAll(/<li>([^]*?)<\/li>/g)]
    .map(([, person]) => person.replace(/\s+/g, " "));
  assert.equal(people.length, 3, "and its creator");
  assert.match(people[1], /^<span class="avatar tile tile-\d+" aria-hidden="true">Z\u200cB<\/span>/);
  assert.match(
    people[1],
    /<a href="https:\/\/zoe.example\/\?a=1&amp;b=2" rel="noopener nofollow">Zoe &lt;b&gt;<\/a><\/p><p class="quiet" lang="en">Composer</,
  );
  assert.match(people[2], /<p dir="auto">Ben<\/p><p class="quiet" lang="en">Editor</);
});

Deno.test("an episode's page links to its podcast when titles are in any script", async () => {
  const [show, made] = await many(1, "夜行列車");
  const { text } = await get(`/public/listen/${show.slug}/${made.slug}`);
  const [, up] = /<a href="([^"]+)">夜行列車<\/a>/.exec(text)!;
  assert.equal(up, new URL(`${stackInfo.functionsUrl}/public/listen/${show.slug}`).href);
  const above = await fetchDocumented(up);
  assert.match(await above.text(), /<h1 dir="auto">夜行列車<\/h1>/);
});

/** A show with this many published episodes, inserted into the database, and the newest of them. */
async function many(count: number, title = "Many") {
  const show = await podcast(title);
  const rows = await sql<{ id: string; slug: string }[]>`
    insert into public.episodes (podcast_id, title, status, published_at, audio_url, audio_file_size_bytes, audio_content_type)
    select ${show.id}, ${title} || ' ' || n, 'published', now() - n * interval '1 hour',
      'https://media.example/' || n || '.mp3', 10, 'audio/mpeg'
    from generate_series(1, ${count}::int) n returning id, slug`;
  return [show, rows[0]] as const;
}

const framed = await many(2, "Framed");

Deno.test("any page may frame an episode's player, the player of the latest episode and that of a podcast", async () => {
  const [show, made] = framed;
  const { body } = await get(`/public/v1/podcasts/${show.slug}/episodes`);
  const [{ id, embedUrl }] = body.data;
  assert.equal(id, made.id);
  const [latest, all] = ["latest", "show"].map((page) => `${stackInfo.functionsUrl}/public/${page}/${show.slug}`);
  for (const [address, title] of [[embedUrl, "Framed 1"], [latest, "Framed 1"], [all, "Framed"]]) {
    const response = await fetchDocumented(address);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.ok(text.includes(`<h1 dir="auto">${title}<noscript>`), text);
    assert.equal(/<castbase-player [^>]*podcast="([^"]*)"/.exec(text)?.[1], address === all ? show.slug : undefined);
    assert.match(text, /<source src="https:\/\/media.example\/1.mp3" type="audio\/mpeg">/);
    assert.match(response.headers.get("content-security-policy")!, /frame-ancestors \*$/);
  }
  assert.match((await get(path)).headers.get("content-security-policy")!, /frame-ancestors 'self'$/);
});

Deno.test("parameters of a player's address become attributes, and other values are ignored and not repeated", async () => {
  const [, made] = framed, path = `/public/ep/${made.id}`;
  const attributesOf = async (query: string) => {
    const { status, text } = await get(path + query);
    assert.equal(status, 200, text);
    assert.doesNotMatch(text, /onerror|pink|tlh|style="/);
    return [.../<castbase-player([^>]*)>/.exec(text)![1].matchAll(/ (theme|accent|lang|start)="([^"]*)"/g)]
      .map(([, name, value]) => `${name}=${value}`).sort();
  };
  assert.deepEqual(await attributesOf("?theme=dark&accent=0a6c74&lang=de&t=1m30s"), [
    ...["accent=#0a6c74", "lang=de", "start=90", "theme=dark"],
  ]);
  for (
    const query of [
      "?theme=pink&accent=red&lang=tlh&t=soon",
      "?theme=%22%20onerror=%22x&accent=%23fff;onerror&lang=de%22&t=1%3Conerror",
      "?theme=dark&theme=light&accent=fff&accent=000",
      "?theme=%00&lang=%FF&t=",
      `?t=${"9".repeat(1000)}`,
    ]
  ) assert.deepEqual(await attributesOf(query), ["lang=en"], query);
  const { text } = await get(`${path}?theme=dark`);
  assert.match(text, /<body class="embed" data-theme="dark">/);
});

const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const open = (path: string, headers: Record<string, string> = browser) => sendRequest({ method: "GET", path, headers });
const heading = (text: string) => /<h1>(.*?)<\/h1>/.exec(text)?.[1];

/** Asserts an error page with this heading. */
function assertErrorPage({ status, headers, text }: Awaited<ReturnType<typeof open>>, expected: number, title: string) {
  assert.equal(status, expected, text);
  assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal(headers.get("cache-control"), "private, no-store");
  assert.equal(headers.get("x-robots-tag"), "noindex");
  assert.match(headers.get("vary")!, /accept/i);
  assert.match(headers.get("content-security-policy")!, /^default-src 'none'/);
  assert.equal(heading(text), title);
}

Deno.test("an unknown podcast is an error page for browsers and the envelope for other clients", async () => {
  for (const path of ["/public/listen/nope", "/public/listen/nope/pilot", "/public/latest/nope", "/public/show/nope"]) {
    assertErrorPage(await open(path), 404, "Podcast not found");
    for (const accept of ["*/*", "application/json", "application/json, text/html;q=0.5", "text/html;q=0"]) {
      assertError(await open(path, { accept }), 404, { error: "Podcast not found" });
    }
  }
});

Deno.test("a path without a route is an error page for browsers, also with two trailing slashes", async () => {
  for (const unknown of [`${path}//`, `${path}/pilot/more`]) {
    assertErrorPage(await open(unknown), 404, "Page not found");
  }
});

Deno.test("the error page of an unknown episode links to its podcast", async () => {
  for (const episode of ["nope", draft.id]) {
    const response = await open(`${path}/${episode}`);
    assertErrorPage(response, 404, "Episode not found");
    const [, href] =
      /<a class="button primary" href="([^"]+)" target="_top"><span>Go to <bdi lang="en">Listen &amp; learn<\/bdi>/
        .exec(
          response.text,
        )!;
    assert.equal(href, `${stackInfo.functionsUrl}${path}`);
    assert.match(response.headers.get("content-security-policy")!, /frame-ancestors 'self'$/);
  }
});

Deno.test("error pages of the players may be framed by any page", async () => {
  const quiet = await podcast("Quiet show");
  const [latest, all] = await Promise.all(["latest", "show"].map((page) => open(`/public/${page}/${quiet.slug}`)));
  for (const page of [latest, all]) assertErrorPage(page, 404, "Podcast not found");
  const frame = await open(`/public/ep/${draft.id}`);
  assertErrorPage(frame, 404, "Episode not found");
  assertErrorPage(await open("/public/ep/nope"), 400, "Page not found");
  for (const response of [latest, all, frame]) {
    assert.match(response.headers.get("content-security-policy")!, /frame-ancestors \*$/);
  }
});

Deno.test("a path below the pages without a route is an error page for browsers and the envelope for other clients", async () => {
  for (const below of [`${path}/pilot/more`, "/public/ep/nope/more"]) {
    assertErrorPage(await open(below), 404, "Page not found");
    assertError(await open(below, { accept: "*/*" }), 404, { error: "Route not found" });
  }
});

Deno.test("an invalid page number, search or cursor is an error page for browsers", async () => {
  for (const query of ["page=0", "page=x", "page=", "cursor=", "q=a&cursor=x", `q=${"x".repeat(201)}`]) {
    assertErrorPage(await open(`${path}?${query}`), 400, "Page not found");
  }
  assertErrorPage(await open(`${path}?page=2`), 404, "Page not found");
});

Deno.test("a podcast's page shows the episodes' own numbers, not their positions", async () => {
  const [numbered] = await many(6, "Numbers");
  const facts: [number | null, number | null, string][] = [
    [2, 5, "full"],
    [null, 7, "full"],
    [3, null, "full"],
    [null, null, "full"],
    [1, null, "trailer"],
    [null, 4, "bonus"],
  ];
  for (const [n, [season, number, type]] of facts.entries()) {
    await sql`
      update public.episodes set season_number = ${season}, episode_number = ${number}, episode_type = ${type}
      where podcast_id = ${numbered.id} and title = ${`Numbers ${n + 1}`}`;
  }
  const { text } = await open(`/public/listen/${numbered.slug}`);
  const lines = [...text.matchAll(/<p class="facts" lang="en">(.*?)<time/g)].map(([, before]) =>
    toPlainText(before, 100)
  );
  assert.deepEqual(lines, [
    "S2 E5Season 2, episode 5",
    "E7Episode 7",
    "S3Season 3",
    "",
    "S1 TrailerSeason 1, trailer",
    "Bonus 4Bonus 4",
  ], "a short label for the eye and a long one for screen readers");
});

Deno.test("a page has the podcast's language and marks our own texts with theirs", async () => {
  const [nordic, made] = await many(41, "Nattog");
  const changes = { language: "nb-NO", author: "Ana", description: "Om sovevogner" };
  await owner.client.from("podcasts").update(changes).eq("id", nordic.id);
  await sql`
    update public.episodes set description = 'Til Wien', season_number = 2, audio_duration_seconds = 125
    where id = ${made.id}`;
  await callRpc(owner, "add_episode_person", {
    ...{ episode_id: made.id, source_type: "external", name: "Zoe", role_label: "Editor" },
  });
  const titles = Array.from({ length: 21 }, (_, n) => n ? [`Nattog ${n + 1}`] : ["Nattog 1", "Til Wien"]).flat();
  const path = `/public/listen/${nordic.slug}`;
  const pages: [path: string, words: string[]][] = [
    [path, ["Nattog", "Ana", "Om sovevogner", ...titles]],
    [`${path}/${made.slug}`, ["Nattog", "Nattog 1", "Til Wien", "Nattog 2", "Zoe"]],
    [`/public/ep/${made.id}`, ["Nattog 1"]],
  ];
  for (const [path, words] of pages) {
    const { text } = await open(path);
    assert.match(text, /<html lang="nb-NO" dir="ltr"/);
    const shown = /<main>[^]*<\/main>/.exec(text)![0].replace(
      /<script[^]*?<\/script>|<span[^>]* aria-hidden="true">[^]*?<\/span>/g,
      "",
    );
    const own = shown.replace(/<div class="actions" lang="en">[^]*<\/div>\s*<\/header>/, "")
      .replace(/<(\w+)(?= )[^>]* lang="en"[^>]*>[^]*?<\/\1>/g, "");
    assert.deepEqual(toPlainText(own, 10_000).split("\n"), words);
  }
});

Deno.test("our own texts on the pages of a German podcast are German", async () => {
  const [german, made] = await many(41, "Nachtzüge");
  await owner.client.from("podcasts").update({ language: "de-AT" }).eq("id", german.id);
  await sql`
    update public.episodes set season_number = 2, episode_number = 5, published_at = '2026-03-01' where id = ${made.id}`;
  const path = `/public/listen/${german.slug}`, { text: list } = await open(path);
  assert.match(list, /<html lang="de-AT" dir="ltr">/);
  assert.match(list, /lang="de">Folgen <span class="count">41</);
  assert.match(list, / data-more>Weitere Folgen<\/a>/);
  const { text } = await open(`${path}/${made.slug}`);
  assert.match(text, /lang="de"><span><bdi>Staffel 2, Folge 5<\/bdi><\/span> <span><bdi><time [^>]*>1. März 2026</);
  const missing = await open(`${path}/nope`);
  assert.match(missing.text, /<html lang="de"[^]*Folge nicht gefunden[^]*Zu <bdi lang="de-AT">Nachtzüge<\/bdi>/);
});

Deno.test("errors without a podcast are in the reader's language, those of a podcast in its own", async () => {
  const accept = { ...browser, "accept-language": "fr-CA, de;q=0.9" };
  const [show] = await many(1, "Errores"), unknown = await open("/public/listen/never-existed", accept);
  assert.match(unknown.text, /<html lang="fr" dir="ltr">[^]*<h1>Podcast introuvable<\/h1>[^]*>Retour<\/button>/);
  assert.match(unknown.headers.get("vary")!, /accept, accept-language$/);
  await sql`update public.podcasts set language = 'ar' where id = ${show.id}`;
  const { text } = await open(`/public/listen/${show.slug}/nope`, accept);
  assert.match(
    text,
    /<html lang="ar" dir="rtl">[^]*<h1>الحلقة غير موجودة<\/h1>[^]*>الانتقال إلى <bdi lang="ar">Errores/,
  );
});

Deno.test("the guest page is in the language of ?lang=, else in the reader's", async () => {
  const accept = { "accept-language": "ja" };
  for (
    const [query, headers, language] of [
      ["", {}, "en"],
      ["", accept, "ja"],
      ["?lang=pt-PT", accept, "pt"],
      ["?lang=xx", accept, "en"],
    ] as const
  ) {
    const { text } = await open(`/public/guest${query}`, headers);
    assert.match(text, new RegExp(`<html lang="${language}"`), query);
    assert.ok(text.includes(`<title>${TEXTS[language].guest.title}</title>`));
  }
  assert.match((await open("/public/guest", accept)).headers.get("vary")!, /^accept-language\b/);
});

Deno.test("a page contains the texts of its player, unless they are the English ones in the script", async () => {
  const [show, made] = await many(1, "Players"), paths = [`listen/${show.slug}`, `listen/${show.slug}/${made.slug}`];
  for (const [language, count] of [["en", 0], ["es-MX", 1], ["fi", 0]] as const) {
    await sql`update public.podcasts set language = ${language} where id = ${show.id}`;
    for (const path of [...paths, `ep/${made.id}`, `latest/${show.slug}`]) {
      const found = [...(await open(`/public/${path}`)).text.matchAll(/id="castbase-texts" lang="es">([^<]+)</g)];
      assert.deepEqual(found.map(([, json]) => JSON.parse(json).retry), Array(count).fill("Reintentar"), path);
    }
  }
});

Deno.test("seasons and episodes have no separator in their numbers, and durations the units of the language", async () => {
  const [show, made] = await many(1, "Numbers");
  await sql`update public.episodes set season_number = 2026, episode_number = 1234, audio_duration_seconds = 3900
    where id = ${made.id}`;
  for (
    const [language, facts] of [
      ["en", ["Season 2026, episode 1234", "1\u00a0hr 5\u00a0min"]],
      ["fr", ["Saison 2026, épisode 1234", "1\u202fh 5\u00a0min"]],
      ["ja", ["シーズン2026 エピソード1234", "1\u00a0時間 5\u00a0分"]],
    ] as const
  ) {
    await sql`update public.podcasts set language = ${language} where id = ${show.id}`;
    const { text } = await open(`/public/listen/${show.slug}/${made.slug}`);
    for (const fact of facts) assert.ok(text.includes(`<bdi>${fact}</bdi>`), `${language} ${fact}`);
  }
});

Deno.test("pages in languages of right-to-left scripts are laid out from the right", async () => {
  const [show, made] = await many(1, "قطارات الليل");
  for (const [language, direction] of [["ar", "rtl"], ["fa-IR", "rtl"], ["arn", "ltr"]]) {
    await sql`update public.podcasts set language = ${language} where id = ${show.id}`;
    for (const path of [`/public/listen/${show.slug}`, `/public/ep/${made.id}`]) {
      assert.match((await open(path)).text, new RegExp(`<html lang="${language}" dir="${direction}">`));
    }
  }
});

Deno.test("the lists of episodes and people have the role that Safari needs", async () => {
  const [show, made] = await many(1, "Lists");
  await callRpc(owner, "add_episode_person", { episode_id: made.id, source_type: "external", name: "Zoe" });
  for (const page of [`/public/listen/${show.slug}`, `/public/listen/${show.slug}/${made.slug}`]) {
    const lists = (await open(page)).text.match(/<[uo]l[ >][^>]*>?/g)!;
    assert.ok(lists.length >= 2, `${lists}`);
    for (const list of lists) assert.match(list, / role="list"[ >]/);
  }
});
