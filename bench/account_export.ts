// Memory over idle of an account's export with 10,000 and 100,000 chat messages of 1,000 characters, and its time.
// Goal: under 64 MB for both. node local/deno.mjs bench/account_export.ts
import { episode, person, podcast, sql, stackInfo } from "../tests/http/harness.ts";
import { startFunctions } from "../tests/functions.ts";

const MB = 1024 * 1024;

await using functions = await startFunctions(stackInfo);
const { id: episodeId } = await episode(await podcast("Chatty"));

const resident = () => {
  const [, pages] = Deno.readTextFileSync(`/proc/${functions.pid}/statm`).split(" ");
  return Number(pages) * 4096;
};

async function download(token: string) {
  const response = await fetch(`${functions.url}/api/account/export`, {
    headers: { authorization: `Bearer ${token}` },
  });
  let bytes = 0;
  for await (const chunk of response.body!) bytes += chunk.length;
  return bytes;
}

await download((await person("exported-0")).token); // everything that an export needs is loaded once
for (const messages of [10_000, 100_000]) {
  const { id, token } = await person(`exported-${messages}`);
  await sql`
    insert into public.episode_messages (episode_id, body, sender_user_id)
    select ${episodeId}, repeat('x', 1000), ${id} from generate_series(1, ${messages})`;
  await sql`analyze public.episode_messages`;
  const idle = resident(), begun = performance.now();
  let peak = idle;
  const sampler = setInterval(() => peak = Math.max(peak, resident()), 2);
  const bytes = await download(token);
  clearInterval(sampler);
  const seconds = (performance.now() - begun) / 1000;
  console.log(
    `${messages} messages: ${(bytes / MB).toFixed(1)} MB in ${seconds.toFixed(2)} s, ` +
      `${((peak - idle) / MB).toFixed(1)} MB over ${(idle / MB).toFixed(1)} MB idle (goal: under 64)`,
  );
}
await functions[Symbol.asyncDispose]();
Deno.exit(0);
