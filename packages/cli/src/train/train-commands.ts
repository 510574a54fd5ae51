import { type FineTuningJob, FineTuningStatus, getFineTuningJob } from '@ratchet/contracts/fine-tuning'
import { fineTuningJobPages } from '@ratchet/contracts/fine-tuning-list'
import { listTrainableModels, type TrainableModel } from '@ratchet/contracts/fine-tuning-models'
import { Option } from 'commander'
import { formatTable } from '../answer.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { parsePageLimit } from '../api/page-limit.ts'
import { inUsd } from '../text/in-words.ts'
import { changeCommands } from './change-job.ts'
import { createJob, estimateJob } from './create-job.ts'
import { parseJobId } from './job-id.ts'
import { stepsOf } from './job-progress.ts'
import { finalAnswer } from './watch-job.ts'

/** Commands of fine-tuning: what can be trained, what it costs, and jobs from their creation to their end. */
export function trainCommands(commands: ApiCommands): void {
  listModels(commands)
  estimateJob(commands)
  createJob(commands)
  watchJob(commands)
  listJobs(commands)
  changeCommands(commands)
}

function listModels({ group, run }: ApiCommands): void {
  group
    .command('models')
    .description('List the models that can be trained, with their prices.')
    .action(() =>
      run(async ({ connect }) => {
        const api = await connect()
        const { value, json } = await api.call(listTrainableModels)
        const table = formatTable([
          ['ID', 'METHODS', 'TRAINERS', 'MAX TOKENS', 'LORA RANKS', 'USD PER 1M TOKENS', 'FREE'],
          ...value.map(modelRow),
        ])
        return { json, text: value.length === 0 ? 'no model of this deployment can be trained' : table }
      }),
    )
}

function modelRow({ id, methods, trainers, max_context, lora_ranks, pricing, capacity }: TrainableModel) {
  const prices = [pricing.supervised_per_mtok, pricing.dpo_per_mtok].flatMap((price) => price ?? [])
  return [
    id,
    methods.join(', '),
    trainers.join(', '),
    String(max_context),
    lora_ranks.join(', '),
    [...new Set(prices)].join(' / '),
    `${capacity.gpus_free} of ${capacity.gpus_total}`,
  ]
}

function watchJob({ group, run }: ApiCommands): void {
  group
    .command('watch')
    .description('Show the progress of a job until it ends or is paused. Exit code 1 unless it succeeded.')
    .argument('<id>', 'the job', parseJobId)
    .action((id: string) =>
      run(async (deps) => {
        const api = await deps.connect()
        return finalAnswer(deps, api, await api.call(getFineTuningJob, { params: { id } }))
      }),
    )
}

interface ListOptions {
  readonly limit: string
  readonly status?: string
  readonly model?: string
}

function listJobs({ group, run }: ApiCommands): void {
  group
    .command('list')
    .description('List fine-tuning jobs, newest first.')
    .option('--limit <count>', 'maximum number', parsePageLimit, '20')
    .addOption(new Option('--status <status>', 'only jobs with this status').choices(FineTuningStatus.options))
    .option('--model <model>', 'only jobs that train this model')
    .action(({ limit, status, model }: ListOptions) =>
      run(async ({ connect }) => {
        const api = await connect()
        const query = { limit, ...(status === undefined ? {} : { status }), ...(model === undefined ? {} : { model }) }
        const { value, json } = await api.call(fineTuningJobPages, { query: { ...query, envelope: 'true' } })
        const table = formatTable([['ID', 'MODEL', 'STATUS', 'STEPS', 'COST', 'CREATED'], ...value.data.map(jobRow)])
        return { json, text: value.data.length === 0 ? 'no jobs; `ratchet train create` starts one' : table }
      }),
    )
}

function jobRow(job: FineTuningJob): readonly string[] {
  const created = new Date(job.created_at * 1_000).toISOString()
  return [job.id, job.model, job.status, stepsOf(job), inUsd(job.cost_usd), created]
}
