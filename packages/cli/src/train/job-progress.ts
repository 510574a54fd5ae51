import type { FineTuningJob } from '@ratchet/contracts/fine-tuning'
import { createLineDisplay, type LineDisplay } from '../api/line-display.ts'
import type { CliIo } from '../cli-io.ts'
import { inUsd } from '../text/in-words.ts'

export type Progressing = Pick<
  FineTuningJob,
  'id' | 'status' | 'phase' | 'progress' | 'waiting_for' | 'created_at' | 'finished_at' | 'cost_usd'
>

interface FirstLook {
  readonly step: number
  readonly atMs: number
}

/** Shows the progress of a job on standard error. */
export interface ProgressDisplay extends Omit<LineDisplay, 'show'> {
  show(seen: Progressing): void
}

/** One line, with the id of the job where it is not a terminal. */
export function createProgressDisplay(io: CliIo): ProgressDisplay {
  const display = createLineDisplay(io)
  let first: FirstLook | null = null
  return {
    ...display,
    show: (seen) => {
      const nowMs = io.now().getTime()
      if (first === null || seen.status !== 'running') first = { step: seen.progress.step, atMs: nowMs }
      const line = progressText(seen, first, nowMs)
      display.show({ onTerminal: () => line, inLog: `${seen.id}: ${line}` })
    },
  }
}

/** `running training 12/40 30 %, 1m 5s, about 2m 30s left, $0.0120` */
export function progressText(seen: Progressing, first: FirstLook, nowMs: number): string {
  const { step, total_steps: total } = seen.progress
  const share = total === null || total === 0 ? [] : [stepsOf(seen), `${Math.floor((step / total) * 100)} %`]
  const endMs = seen.finished_at === null ? nowMs : seen.finished_at * 1_000
  return [
    [seen.status, ...(seen.phase === null ? [] : [seen.phase]), ...share].join(' '),
    inTime(endMs - seen.created_at * 1_000),
    ...timeLeft(seen, first, nowMs),
    inUsd(seen.cost_usd),
    ...(seen.waiting_for === null ? [] : [`waiting for ${seen.waiting_for}`]),
  ].join(', ')
}

/** Steps that are done, of all; a dash before they are known. */
export function stepsOf({ progress: { step, total_steps: total } }: Pick<Progressing, 'progress'>): string {
  return total === null ? '-' : `${step}/${total}`
}

/** From the speed since the first look at the running job. */
function timeLeft({ status, progress }: Progressing, first: FirstLook, nowMs: number): readonly string[] {
  const done = progress.step - first.step
  if (status !== 'running' || progress.total_steps === null || done <= 0) return []
  return [`about ${inTime(((nowMs - first.atMs) / done) * (progress.total_steps - progress.step))} left`]
}

/** The clock of the deployment may be ahead, so the difference is at least 0. */
export function inTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  if (hours > 0) return `${hours}h ${minutes}m`
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`
}
