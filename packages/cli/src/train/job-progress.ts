import type { FineTuningJob } from '@ratchet/contracts/fine-tuning'
import { createProgressDisplay, type FirstLook, timeLeft } from '../api/progress-display.ts'
import type { CliIo } from '../cli-io.ts'
import { inTime, inUsd } from '../text/in-words.ts'

export type Progressing = Pick<
  FineTuningJob,
  'id' | 'status' | 'phase' | 'progress' | 'waiting_for' | 'created_at' | 'finished_at' | 'cost_usd'
>

/** Shows the progress of a job. */
export function createJobDisplay(io: CliIo) {
  return createProgressDisplay<Progressing>(io, {
    doneOf: ({ progress }) => progress.step,
    isWaiting: ({ status }) => status !== 'running',
    textOf: progressText,
  })
}

/** `running training 12/40 30 %, 1m 5s, about 2m 30s left, $0.0120` */
function progressText(seen: Progressing, first: FirstLook, nowMs: number): string {
  const { step, total_steps: total } = seen.progress
  const share = total === null || total === 0 ? [] : [stepsOf(seen), `${Math.floor((step / total) * 100)} %`]
  const endMs = seen.finished_at === null ? nowMs : seen.finished_at * 1_000
  return [
    [seen.status, ...(seen.phase === null ? [] : [seen.phase]), ...share].join(' '),
    inTime(endMs - seen.created_at * 1_000),
    ...(seen.status === 'running' && total !== null ? timeLeft({ done: step, total }, first, nowMs) : []),
    inUsd(seen.cost_usd),
    ...(seen.waiting_for === null ? [] : [`waiting for ${seen.waiting_for}`]),
  ].join(', ')
}

/** Steps that are done, of all; a dash before they are known. */
export function stepsOf({ progress: { step, total_steps: total } }: Pick<Progressing, 'progress'>): string {
  return total === null ? '-' : `${step}/${total}`
}
