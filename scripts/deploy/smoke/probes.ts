// What the smoke test makes: users of a reserved domain, their podcasts, and objects in one folder.
import type { SupabaseClient } from "@supabase/supabase-js";
import { failureOf } from "../failure.ts";
import type { ManagementApi } from "../management_api.ts";

/** RFC 2606 reserves the domain, so no person has such an address. */
const PATTERN = "deploy-probe-%@example.com";
export const PROBE_FOLDER = "deploy-probe";

export const probeEmail = () => PATTERN.replace("%", crypto.randomUUID());

/** Deletes all probes. Fails if something stays. */
export async function deleteProbes(api: ManagementApi, service: SupabaseClient): Promise<void> {
  const users = await api.query<{ id: string }>("select id from auth.users where email like $1", PATTERN);
  const ids = users.map(({ id }) => id).join();
  await api.query("delete from public.podcasts where owner_id = any (string_to_array($1, ',')::uuid[])", ids);
  for (const { id } of users) await service.auth.admin.deleteUser(id);
  const staging = service.storage.from("staging");
  const { data: objects } = await staging.list(PROBE_FOLDER);
  if (objects?.length) await staging.remove(objects.map(({ name }) => `${PROBE_FOLDER}/${name}`));
  const rest = await api.query<{ what: string }>(
    `select 'the user ' || id as what from auth.users where email like $1
     union all select 'the profile ' || id from public.profiles where id = any (string_to_array($2, ',')::uuid[])
     union all select 'the object ' || name from storage.objects where bucket_id = 'staging' and name like $3`,
    PATTERN,
    ids,
    `${PROBE_FOLDER}/%`,
  );
  if (rest.length) throw failureOf("The smoke test left:", rest.map(({ what }) => what));
}
