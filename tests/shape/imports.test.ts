// Which file may import which: rooms know nothing of the rooms above them, local/ is a package for any Supabase project,
// and the product runs without it.
import { deepStrictEqual as deepEqual, ok } from "node:assert";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { repository } from "../../local/host/project.ts";
import { sourceFiles } from "../source_files.ts";
import { type Import, importsBelow, reachable } from "./imports.ts";

/** A file or a room, and what it imports. */
type Graph = Map<string, string[]>;

/** The files below these folders, by their paths from the root. */
const filesBelow = (...folders: string[]): Graph =>
  new Map(
    [...importsBelow(...folders)].map(([file, imports]) => [
      file,
      imports.flatMap(({ path = "" }) => path.endsWith(".ts") ? path : []), // not built assets or SQL
    ]),
  );

const graph = filesBelow("functions", "types"), localGraph = filesBelow("local");

/** Groups that import each other in a circle (Tarjan's strongly connected components), sorted. */
function circles(graph: Graph): string[] {
  const index = new Map<string, number>(), low = new Map<string, number>(), stack: string[] = [];
  const found: string[] = [];
  function visit(node: string) {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!));
    }
    if (low.get(node) !== index.get(node)) return;
    const circle = stack.splice(stack.indexOf(node));
    if (circle.length > 1) found.push(circle.sort().join(" "));
  }
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found.sort();
}

/** The first folder below functions/ or local/, or "types". */
const roomOf = (path: string) => path.replace(/^(functions|local)\//, "").split("/")[0];
const EDGE_FUNCTIONS = ["api", "public", "worker"];

/** The rooms of a graph of files, with the rooms that they import, sorted. */
function roomsOf(files: Graph): Graph {
  const found = new Map<string, Set<string>>();
  for (const [path, imports] of files) {
    const others = found.get(roomOf(path)) ?? new Set();
    for (const other of imports.map(roomOf)) if (other !== roomOf(path)) others.add(other);
    found.set(roomOf(path), others);
  }
  return new Map([...found].sort().map(([room, others]) => [room, [...others].sort()]));
}
const rooms = roomsOf(graph), localRooms = roomsOf(localGraph);

Deno.test("circles() finds a circle, and only that", () => {
  const sample: Graph = new Map([["a", ["b"]], ["b", ["c", "d"]], ["c", ["a"]], ["d", []]]);
  deepEqual(circles(sample), ["a b c"]);
});

Deno.test("files of functions/ and types/, and those of local/, do not import each other in a circle", () => {
  deepEqual([...circles(graph), ...circles(localGraph)], []);
});

const neighborsIn = (graph: Graph) => (node: string) => graph.get(node) ?? [];

Deno.test("reachable() follows imports through circles", () => {
  const sample: Graph = new Map([["a", ["b"]], ["b", ["a", "c"]], ["d", ["a"]]]);
  deepEqual([...reachable(["a"], neighborsIn(sample))], ["a", "b", "c"]);
});

Deno.test("routes of the API run no statement that waits for locks without a limit", () => {
  const inRoutes = reachable(["functions/api/index.ts"], neighborsIn(graph));
  ok(inRoutes.has("functions/media/storage/uploads.ts"));
  const unlimited = /^import \{[^}]*\b(service|serviceSql|pool)\b[^}]*\} from "[^"]*\/database\//m;
  const wrong = sourceFiles(["functions"], /\.ts$/).filter(({ path, text }) =>
    inRoutes.has(path) && !path.startsWith("functions/database/") && unlimited.test(text)
  );
  deepEqual(wrong.map(({ path }) => path), []);
});

Deno.test("rooms import no edge function, and edge functions do not import each other", () => {
  const wrong = [...graph].flatMap(([path, imports]) =>
    imports.filter((other) => EDGE_FUNCTIONS.includes(roomOf(other)) && roomOf(other) !== roomOf(path))
      .map((other) => `${path} imports ${other}`)
  );
  deepEqual(wrong, []);
});

/** Which rooms a room may import. A new arrow needs a reason, and its place in the diagram of docs/architecture.md. */
const ALLOWED_IMPORTS: Record<string, string> = {
  api: "app automations billing calendars database imports installation media push runtime safe_fetch text types",
  app: "database runtime text types",
  automations: "database runtime safe_fetch show_notes text",
  billing: "app database runtime types",
  browser: "text types",
  calendars: "database runtime safe_fetch",
  compression: "",
  database: "runtime types",
  episode_numbers: "",
  feed_elements: "text",
  feed_pings: "database runtime safe_fetch",
  feed_reader: "compression feed_elements safe_fetch text types",
  feed_report: "feed_elements text",
  feed_writer: "database feed_reader feed_report runtime show_notes text",
  imports: "app database episode_numbers feed_reader media runtime safe_fetch text types",
  installation: "billing calendars database mail runtime types",
  mail: "database runtime safe_fetch show_notes text",
  media: "app database runtime show_notes text types",
  public: "app database feed_writer media runtime show_notes text types",
  push: "database runtime safe_fetch",
  runtime: "types",
  safe_fetch: "compression",
  show_notes: "database runtime text",
  text: "types",
  types: "",
  worker:
    "app automations billing calendars database feed_pings feed_writer imports mail media push runtime show_notes types",
};

const LOCAL_IMPORTS: Record<string, string> = {
  auth: "host postgres wire",
  cli: "config_push database host stack",
  config_push: "auth host",
  database: "host postgres",
  extensions: "postgres",
  functions: "host wire",
  host: "",
  mail: "host wire",
  postgres: "host",
  realtime: "postgres wire",
  rest: "postgres wire",
  stack: "auth database extensions functions host mail postgres realtime rest storage wire",
  storage: "host postgres wire",
  wire: "",
};

const asLines = (rooms: Graph) => Object.fromEntries([...rooms].map(([room, others]) => [room, others.join(" ")]));

Deno.test("each room imports exactly the rooms that ALLOWED_IMPORTS and LOCAL_IMPORTS give it", () => {
  deepEqual(asLines(rooms), ALLOWED_IMPORTS);
  localRooms.delete("deno.mjs");
  deepEqual(asLines(localRooms), LOCAL_IMPORTS);
});

/** Megabytes of memory and parts of a second at each start of an isolate, which few requests need. */
const ON_DEMAND = [
  "brotli/dec/decode.js",
  "fast-xml-parser",
  "functions/automations/post_webhook.ts",
  "functions/calendars/accounts/connect_account.ts",
  "functions/calendars/accounts/connect_url.ts",
  "functions/calendars/busy/read_connection.ts",
  "functions/calendars/events/sync_event.ts",
  "functions/media/copies/make_image_copy.ts",
  "functions/public/docs/docs_viewer.ts",
  "html-to-text",
  "ical.js",
  "nodemailer",
  "sanitize-html",
  "saxes",
  "stripe",
  "web-push",
];

Deno.test("edge functions load large packages, and the readers of calendars, on demand", () => {
  const imports = importsBelow("functions", "types");
  const eagerly = (file: string) => (imports.get(file) ?? []).filter(({ isEager }) => isEager);
  const isOnDemand = ({ path, specifier }: Import) => ON_DEMAND.includes(path ?? specifier);
  const loaded = reachable(
    EDGE_FUNCTIONS.map((name) => `functions/${name}/index.ts`),
    (file) => eagerly(file).flatMap((found) => isOnDemand(found) ? [] : found.path ?? []),
  );
  ok(loaded.size > 150, `${loaded.size} files`);
  deepEqual([...loaded].flatMap(eagerly).filter(isOnDemand).map(describeImport), []);
});

Deno.test("rooms do not import each other in a circle", () => {
  deepEqual([...circles(rooms), ...circles(localRooms)], []);
});

/** The arrows of the diagram of rooms in docs/architecture.md. */
async function drawnRooms(): Promise<Graph> {
  const text = await Deno.readTextFile(join(repository, "docs/architecture.md"));
  const [diagram] = text.match(/flowchart TD\n[^]*?```/)!;
  const drawn: Graph = new Map();
  const add = (from: string, to: string) => drawn.set(from, [...drawn.get(from) ?? [], to]);
  const idsIn = (side: string) => [...side.replace(/\[".*?"\]/g, "").matchAll(/\w+/g)].map(([id]) => id);
  for (const [, left, right] of diagram.matchAll(/^ +(.*?) --> (.*)$/gm)) {
    for (const from of idsIn(left)) for (const to of idsIn(right)) add(from, to);
  }
  return drawn;
}

Deno.test("the rooms of docs/architecture.md import along its arrows only, and each arrow is an import", async () => {
  const drawn = await drawnRooms();
  const imports = [...rooms].flatMap(([room, others]) => others.map((other) => [room, other]))
    .filter(([, other]) => other !== "types")
    .filter(([room, other]) => !EDGE_FUNCTIONS.includes(other) || !EDGE_FUNCTIONS.includes(room));
  const hidden = imports.filter(([room, other]) => !reachable([room], neighborsIn(drawn)).has(other));
  const invented = [...drawn].flatMap(([room, others]) => others.map((other) => [room, other]))
    .filter(([room, other]) => !rooms.get(room)?.includes(other));
  deepEqual({ hidden, invented }, { hidden: [], invented: [] });
});

/**
 * Files of one name that mean the same thing: a route and its wire schemas, a job and the function that it runs, calls
 * and their types. local/ is exempt: its folders represent services, each with a server, keys or errors of its own.
 */
const TWINS = [
  "account.ts",
  "availability.ts",
  "index.ts",
  "billing.ts",
  "booking_links.ts",
  "calendars.ts",
  "bookings.ts",
  "feed_report.ts",
  "guests.ts",
  "health.ts",
  "imports.ts",
  "openapi.ts",
  "people.ts",
  "podcast_lifecycle.ts",
  "render_feed.ts",
  "service.ts",
];

Deno.test("files of functions/ and types/ have names of their own", () => {
  const names = [...graph.keys()].map((path) => basename(path)).filter((name) => !TWINS.includes(name));
  deepEqual(names.filter((name, i) => names.indexOf(name) !== i), []);
});

const describeImport = ({ file, specifier }: Import) => `${file} imports ${specifier}`;

Deno.test("files in local/ import only local/ and its own packages", async () => {
  const { dependencies } = JSON.parse(await Deno.readTextFile(join(repository, "local/package.json")));
  const { imports } = JSON.parse(await Deno.readTextFile(join(repository, "deno.json")));
  const found = [...importsBelow("local").values()].flat();
  ok(found.length > 300, `${found.length} imports`);
  const strays = found.filter(({ file, specifier, path }) => {
    if (file === "local/host/project.ts" && specifier === "../..") return false; // the one place that finds the project
    if (path) return !path.startsWith("local/");
    if (specifier.startsWith("node:")) return false;
    const name = /^(?:npm:)?((?:@[^/]+\/)?[^/@]+)/.exec(specifier)?.[1] ?? "";
    const mapped = imports[specifier] ?? "npm:"; // deno.json may map a name to a file of the product
    return !(name in dependencies) || !mapped.startsWith("npm:");
  });
  deepEqual(strays.map(describeImport), []);
});

Deno.test("functions/, types/ and scripts/ import nothing of local/", () => {
  const imports = [...importsBelow("functions", "types", "scripts").values()].flat();
  const strays = imports.filter(({ specifier, path }) =>
    path?.startsWith("local/") || specifier.startsWith("@castbase/local")
  );
  deepEqual(strays.map(describeImport), []);
});

Deno.test("tests take the database driver from the module that lets it lose connections", () => {
  const strays = [...importsBelow("tests").values()].flat()
    .filter(({ file, specifier, isEager }) =>
      isEager && specifier === "postgres" && !file.includes("immediate_writes")
    );
  deepEqual(strays.map(describeImport), []);
});

/** Deno 2.1 exports legacy comparisons (==) under these names, from node:assert/strict too; only its default is strict. */
const LOOSE_ASSERT =
  /^import (?:\* as \w+ from "node:assert(?:\/strict)?"|\w+ from "node:assert"|[^;"]*(?<!\bas )\b(?:not)?(?:deepE|DeepE|e|E)qual\b[^;"]* from "node:assert(?:\/strict)?")/gm;

Deno.test("assertions compare strictly: import node:assert/strict as a whole, or strictEqual and deepStrictEqual by name", () => {
  const found = sourceFiles(["bench", "functions", "local", "scripts", "tests"], /\.(?:ts|js|mjs)$/)
    .flatMap(({ path, text }) => [...text.matchAll(LOOSE_ASSERT)].map(([statement]) => `${path}: ${statement}`));
  deepEqual(found, []);
});

Deno.test("LOOSE_ASSERT finds names and modules whose equal compares with ==", () => {
  const isLoose = (statement: string) => statement.search(LOOSE_ASSERT) === 0;
  const loose = ["{ equal, ok }", "{ ok, notDeepEqual as differ }", "* as assert"];
  for (const module of ["node:assert", "node:assert/strict"]) {
    for (const what of loose) ok(isLoose(`import ${what} from "${module}";`), `${what} from ${module}`);
  }
  ok(isLoose('import assert from "node:assert";'));
  ok(!isLoose('import assert from "node:assert/strict";'));
  ok(!isLoose('import { deepStrictEqual as deepEqual, ok, strictEqual as equal } from "node:assert";'));
});

Deno.test("each file that a module imports or reads beside itself exists", () => {
  const imports = [...importsBelow("bench", "functions", "local", "scripts", "tests", "types").values()].flat();
  const paths = imports.filter(({ path }) => path && !existsSync(join(repository, path)));
  deepEqual(paths.map(describeImport), []);
});

Deno.test("scenarios of tests/parity use no module of local/ and no stack of their own, so that they run against any project", () => {
  const strays = [...importsBelow("tests/parity")].flatMap(([file, imports]) =>
    imports.filter(({ path, isEager }) => isEager && path?.startsWith("local/") && file !== "tests/parity/run.ts")
      .map(describeImport)
  );
  deepEqual(strays, []);
  deepEqual(sourceFiles(["tests/parity"], /\.ts$/).filter(({ text }) => text.includes("startTestStack")), []);
});
