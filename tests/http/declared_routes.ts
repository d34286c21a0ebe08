// The routes that the edge functions of supabase/config.toml declare.
import { declaredRoutes } from "../../functions/app/openapi.ts";
import { readProject } from "../../local/host/project.ts";
import { UNREACHABLE_ENV, withEnvironment } from "../environment.ts";

const { functions } = await readProject();
const modules = await withEnvironment(
  UNREACHABLE_ENV,
  () => Promise.all(functions.map(({ entrypoint }) => import(`file://${entrypoint}`))),
);

export const routes = declaredRoutes(modules.flatMap(({ default: { handlers } }) => handlers));
