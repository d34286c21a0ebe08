// The workflow of GitHub Actions that deploys.
import { join } from "node:path";
import { load } from "js-yaml";
import { repository } from "../../../local/host/project.ts";

interface Job {
  needs?: string;
  if?: string;
  concurrency?: Record<string, unknown>;
  environment?: string;
  steps: { run?: string; uses?: string; env?: Record<string, string> }[];
}

export const workflowText = Deno.readTextFileSync(join(repository, ".github/workflows/deploy.yml"));
export const workflow = load(workflowText) as { jobs: Record<string, Job> };

/** The shell commands of a job, in order. */
export const commandsOf = (job: string) => workflow.jobs[job].steps.flatMap(({ run }) => run ?? []);
