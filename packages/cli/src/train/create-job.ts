import {
  createFineTuningJob,
  estimateFineTuningJob,
  type FineTuningEstimate,
  type TrainingDataReport,
} from '@ratchet/contracts/fine-tuning'
import { type Answer, formatTable } from '../answer.ts'
import type { ApiCommands, ApiDeps } from '../api/api-commands.ts'
import { CliError } from '../cli-error.ts'
import { inTime, inUsd } from '../text/in-words.ts'
import { printable } from '../text/printable.ts'
import { addBodyOptions, type BodyOptions, bodyOf, type JobBody } from './job-body.ts'
import { finalAnswer } from './watch-job.ts'

interface CreateOptions extends BodyOptions {
  readonly detach?: true
}

/** `train estimate`. */
export function estimateJob({ group, run }: ApiCommands): void {
  const command = group
    .command('estimate')
    .description('Read the examples and show what a job would cost and take. Starts nothing.')
  addBodyOptions(command)
  command.action((options: BodyOptions) =>
    run(async ({ connect }) => {
      const body = checkedBody(options)
      const api = await connect()
      const { value, json } = await api.call(estimateFineTuningJob, { body })
      return { json, text: estimateText(value) }
    }),
  )
}

/** `train create`. */
export function createJob({ group, run }: ApiCommands): void {
  const command = group
    .command('create')
    .description('Start a fine-tuning job and show its progress until it ends. Exit code 1 unless it succeeded.')
  addBodyOptions(command)
  command.option('--detach', 'do not wait for the end')
  command.action((options: CreateOptions) => run((deps) => create(deps, options)))
}

async function create(deps: ApiDeps, options: CreateOptions): Promise<Answer | null> {
  const body = checkedBody(options)
  const api = await deps.connect()
  // A retry with the same key does not start a second job.
  const idempotencyKey = `ratchet-cli-${Buffer.from(deps.io.randomBytes(16)).toString('hex')}`
  const first = await api.call(createFineTuningJob, { body, idempotencyKey })
  const { id } = first.value
  if (options.detach) {
    return { json: first.json, text: id, note: `Started. \`ratchet train watch ${printable(id)}\` shows its progress.` }
  }
  deps.io.stderr(`Started ${printable(id)}\n`)
  return finalAnswer(deps, api, first)
}

/** @throws CliError when there are no examples */
function checkedBody(options: BodyOptions): JobBody {
  if (options.dataset === undefined && options.trainingFile === undefined) {
    throw new CliError('one of --dataset and --training-file is required')
  }
  return bodyOf(options)
}

function estimateText({ data_report: data, warnings, ...estimate }: FineTuningEstimate): string {
  const seconds = estimate.estimated_seconds
  const table = formatTable([
    ['cost', inUsd(estimate.estimated_cost_usd)],
    ['held when it starts', inUsd(estimate.hold_usd)],
    ['tokens of all epochs', `${estimate.training_tokens}${estimate.tokens_exact ? '' : ' (estimated)'}`],
    ...(data === null ? [['examples', 'too many to count before the job is created']] : examplesText(data)),
    ['time', seconds === null ? 'unknown' : `about ${inTime(seconds * 1_000)}`],
  ])
  return [table, ...warnings.map((warning) => `warning: ${warning}`)].join('\n')
}

function examplesText({ used, validation, ...data }: TrainingDataReport): readonly (readonly string[])[] {
  const others = data.too_long + data.empty + data.invalid + data.leaked_from_eval
  return [
    ['examples', `${used}${others === 0 ? '' : `, ${others} left out`}`],
    ['examples to validate with', String(validation)],
  ]
}
