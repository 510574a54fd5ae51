import { type FineTuningJob, getFineTuningJob } from '@ratchet/contracts/fine-tuning'
import { type Answer, formatTable } from '../answer.ts'
import type { Api, Reply } from '../api/api-client.ts'
import type { ApiDeps } from '../api/api-commands.ts'
import { watchUntil } from '../api/watch-until.ts'
import { inUsd } from '../text/in-words.ts'
import { createJobDisplay, stepsOf } from './job-progress.ts'

/** States that a job does not leave by itself. */
const resting: ReadonlySet<FineTuningJob['status']> = new Set(['succeeded', 'failed', 'cancelled', 'paused'])

/**
 * Shows the progress of a job until it ends or is paused. Ctrl-C ends the display, not the job.
 *
 * @returns null after an interruption, for which a message was printed
 */
export async function finalAnswer({ io }: ApiDeps, api: Api, first: Reply<FineTuningJob>): Promise<Answer | null> {
  const { id } = first.value
  const last = await watchUntil<FineTuningJob>(io, {
    first,
    read: (options) => api.call(getFineTuningJob, { params: { id } }, options),
    isOver: ({ status }) => resting.has(status),
    display: createJobDisplay(io),
    interrupted: `Interrupted. The job continues; \`ratchet train watch ${id}\` shows it again.`,
  })
  if (last === null) return null
  return { json: last.json, text: jobText(last.value), ...(last.value.status === 'succeeded' ? {} : { exitCode: 1 }) }
}

/** A job as a table of two columns. */
export function jobText(job: FineTuningJob): string {
  const { error, data_report: data } = job
  return formatTable([
    ['job', job.id],
    ['status', error === null ? job.status : `${job.status}: ${error.message} (${error.code})`],
    ['model', job.model],
    ...(job.fine_tuned_model === null ? [] : [['trained model', job.fine_tuned_model]]),
    ...(job.stopped_early === null ? [] : [['stopped early', job.stopped_early.replaceAll('_', ' ')]]),
    ['steps', stepsOf(job)],
    ...(data === null ? [] : [['examples', String(data.used)]]),
    ['trained tokens', job.trained_tokens === null ? '-' : String(job.trained_tokens)],
    ['cost', inUsd(job.cost_usd)],
    ...(job.held_usd === 0 ? [] : [['held', inUsd(job.held_usd)]]),
  ])
}
