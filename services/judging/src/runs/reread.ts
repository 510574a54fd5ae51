import type { JudgeRun, RunStore } from './judge-run.ts'

/** The run as it is now, or as it was when it was deleted meanwhile. */
export async function reread(runs: Pick<RunStore, 'get'>, run: JudgeRun): Promise<JudgeRun> {
  return (await runs.get(run)) ?? run
}
