// Code that the generated types reject. It is compiled and never run.
import type { Client } from "./app.ts";

export async function mistakes(client: Client, id: string) {
  // @ts-expect-error an episode needs a podcast
  await client.from("episodes").insert({ title: "Pilot" });
  // @ts-expect-error a podcast needs a title
  await client.from("podcasts").insert({ slug: "pilot" });
  // @ts-expect-error a message needs an episode
  await client.from("episode_messages").insert({ body: "Hello" });
  // @ts-expect-error no column has this name
  await client.from("episodes").update({ titel: "Pilot" }).eq("id", id);
  // @ts-expect-error a title is text
  await client.from("episodes").update({ title: 5 }).eq("id", id);
  // @ts-expect-error the status is one of an enum
  await client.from("episodes").update({ status: "live" }).eq("id", id);
  // @ts-expect-error no table has this name
  await client.from("shows").select();
  // @ts-expect-error the function requires its argument
  await client.rpc("publish_episode", {});
  // @ts-expect-error no function has this name
  await client.rpc("publish", { episode_id: id });
  const { data } = await client.from("episodes").select("title, podcasts(title)").single();
  // @ts-expect-error the column was not selected
  console.log(data?.summary);
  // @ts-expect-error an episode has one podcast
  console.log(data?.podcasts[0].title);
}
