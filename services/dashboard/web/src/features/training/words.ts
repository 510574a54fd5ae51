import type { FineTuningJob } from '@ratchet/contracts/fine-tuning'
import type { FineTuningMethodName } from '@ratchet/contracts/fine-tuning-models'
import { count, percent } from '../../kit/numbers.ts'
import type { State } from '../../kit/state-mark.tsx'

type Status = Pick<FineTuningJob, 'status' | 'phase'>

const statuses: Record<FineTuningJob['status'], readonly [string, State]> = {
  validating_files: ['checking the data', 'open'],
  queued: ['queued', 'none'],
  running: ['running', 'open'],
  paused: ['paused', 'borderline'],
  succeeded: ['done', 'proven'],
  failed: ['failed', 'wrong'],
  cancelled: ['cancelled', 'none'],
}

const phases: Record<NonNullable<FineTuningJob['phase']>, string> = {
  preparing: 'preparing',
  training: 'training',
  evaluating: 'validating',
  uploading: 'saving',
}

/** The status of a job in words, with the shape of a state. A running job says its phase. */
export function statusOf({ status, phase }: Status): { readonly word: string; readonly state: State } {
  const [word, state] = statuses[status]
  return { word: phase === null ? word : phases[phase], state }
}

/** Whether it changes without anybody doing something. */
export function isUnderWay({ status }: Pick<FineTuningJob, 'status'>): boolean {
  return ['validating_files', 'queued', 'running'].includes(status)
}

/** Whether it can still be cancelled. */
export function isOpen(job: Pick<FineTuningJob, 'status'>): boolean {
  return isUnderWay(job) || job.status === 'paused'
}

const methods: Record<FineTuningMethodName, string> = { supervised: 'on answers', dpo: 'on pairs (DPO)' }

export function methodText(method: FineTuningMethodName): string {
  return methods[method]
}

/** How far the training is, such as `40 %`; `step 12` while the number of steps is not known. */
export function progressText({ progress: { step, total_steps: total } }: Pick<FineTuningJob, 'progress'>): string {
  if (total === null) return step === 0 ? '–' : `step ${count(step)}`
  return percent(Math.min(1, step / Math.max(1, total)))
}

/** The name of a job: the suffix that a person gave it, before the model. */
export function titleOf({ model, suffix }: Pick<FineTuningJob, 'model' | 'suffix'>): string {
  return suffix === null ? model : `${suffix}, from ${model}`
}

/** Unix seconds as the time in ISO 8601. */
export function isoOfSeconds(seconds: number): string
export function isoOfSeconds(seconds: number | null): string | null
export function isoOfSeconds(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1_000).toISOString()
}
