// Resumable uploads on disk survive the stack.
import { ERRORS, Upload } from "@tus/server";
import { deepStrictEqual as same, rejects } from "node:assert";
import { join } from "node:path";
import { Readable } from "node:stream";
import { openFiles } from "../../../local/storage/files.ts";
import { openUploads } from "../../../local/storage/resumable_store.ts";
import { startTestStack, type TestStack } from "../../stack.ts";
import { encoded, statusAndText, tus, type, uploadUrlOf } from "../../parity/storage/tus.ts";
import { folderOfFile } from "../../temporary_folder.ts";
import { projectFolder } from "../host/project_folder.ts";

Deno.test("a resumable upload survives a killed stack and can finish within a day", async () => {
  const dataDir = await folderOfFile("castbase-uploads-");
  const options = { dataDir, durable: true, project: await projectFolder({ "supabase/config.toml": "" }) };
  const headers = (stack: TestStack) => ({ apikey: stack.secretKey });
  const bucketName = "lt-killed", objectName = "a/b.mp3";
  let path: string;
  {
    const killed = await startTestStack(options);
    const about = encoded({ bucketName, objectName, contentType: "audio/mpeg", cacheControl: "60" });
    await fetch(`${killed.url}/storage/v1/bucket`, {
      method: "POST",
      headers: { ...headers(killed), "content-type": "application/json" },
      body: JSON.stringify({ name: bucketName, public: true }),
    }).then((response) => response.body!.cancel());
    const created = await tus("POST", `${killed.url}/storage/v1/upload/resumable`, {
      ...headers(killed),
      "upload-length": "11",
      "upload-metadata": about,
    });
    path = new URL(uploadUrlOf(created)).pathname;
    await created.text();
    const part = { ...headers(killed), "upload-offset": "0", "content-type": type };
    same((await tus("PATCH", killed.url + path, part, "hello ")).status, 204);
    Deno.kill(killed.pid, "SIGKILL");
    await killed[Symbol.asyncDispose]();
  }
  await using stack = await startTestStack(options);
  same((await tus("HEAD", stack.url + path, headers(stack))).headers.get("upload-offset"), "6");
  const part = { ...headers(stack), "upload-offset": "6", "content-type": type };
  const version = atob(path.split("/").at(-1)!).split("/").at(-1);
  const state = join(dataDir, "storage", "resumable", `${version}.json`);
  const text = await Deno.readTextFile(state), upload = JSON.parse(text);
  await Deno.writeTextFile(state, JSON.stringify({ ...upload, creation_date: hoursAgo(25) }));
  same((await tus("HEAD", stack.url + path, headers(stack))).status, 410);
  same(await statusAndText(await tus("PATCH", stack.url + path, part, "world")), [
    410,
    "The file for this url no longer exists\n",
  ]);
  await Deno.writeTextFile(state, text);
  same((await tus("PATCH", stack.url + path, part, "world")).headers.get("tus-complete"), "1");
  const response = await fetch(`${stack.url}/storage/v1/object/public/${bucketName}/${objectName}`);
  same([await response.text(), response.headers.get("cache-control")], ["hello world", "max-age=60"]);
});

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const bytes = (...texts: string[]) => Readable.from(texts.map((text) => new TextEncoder().encode(text)));
const upload = (ageInHours = 0) => {
  const id = `b/k/${crypto.randomUUID()}`;
  return new Upload({ id, size: 5, offset: 0, metadata: {}, creation_date: hoursAgo(ageInHours) });
};

Deno.test("a part that exceeds the size leaves a resumable upload unchanged", async () => {
  const directory = await folderOfFile("castbase-uploads-");
  const uploads = await openUploads(join(directory, "resumable"), await openFiles(directory, true), true);
  const { id } = await uploads.create(upload());
  same(await uploads.write(bytes("h", "el"), id, 0), 3);
  const tooLong = Readable.from(async function* () {
    yield new TextEncoder().encode("lo!");
    throw await Promise.reject(ERRORS.ERR_MAX_SIZE_EXCEEDED);
  }());
  await rejects(uploads.write(tooLong, id, 3), ERRORS.ERR_MAX_SIZE_EXCEEDED);
  same((await uploads.getUpload(id)).offset, 3);
});

Deno.test("the next start deletes expired and incomplete resumable uploads", async () => {
  const directory = await folderOfFile("castbase-uploads-");
  const folder = join(directory, "resumable");
  const open = async () => await openUploads(folder, await openFiles(directory, true), true);
  const uploads = await open();
  const [young, old, done] = [upload(23), upload(25), upload(1)];
  for (const { id } of await Promise.all([young, old, done].map((each) => uploads.create(each)))) {
    same(await uploads.write(bytes("hel"), id, 0), 3);
  }
  same(await uploads.write(bytes("lo"), done.id, 3), 5);
  const hello = { size: 5, md5: "5d41402abc4b2a76b9719d911017c592" };
  same([await uploads.publish(done.id), await uploads.publish(done.id)], [hello, hello]);
  await uploads.forget(done.id);
  await Deno.writeTextFile(join(folder, crypto.randomUUID()), "created by half");

  const restarted = await open();
  const [youngVersion, doneVersion] = [young, done].map(({ id }) => id.split("/").at(-1));
  same(
    [...Deno.readDirSync(folder)].map(({ name }) => name).sort(),
    [`${doneVersion}.json`, youngVersion, `${youngVersion}.json`].sort(),
  );
  same(await restarted.getUpload(young.id), new Upload({ ...young, offset: 3, size: 5 }));
  same(await restarted.getUpload(done.id), new Upload({ ...done, offset: 5, size: 5 }));
});
