import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { type ProviderApi, type ProviderJob, type ProviderOrder, ProviderRefused } from './provider-api.ts'
import type { ProviderCalls } from './provider-calls.ts'

const Dataset = z.looseObject({ state: z.string().nullish() })

const Job = z.looseObject({
  name: z.string(),
  state: z.string(),
  status: z.looseObject({ message: z.string().nullish() }).nullish(),
  outputModel: z.string().nullish(),
  trainingConfig: z.looseObject({ outputModel: z.string().nullish() }).nullish(),
  jobProgress: z.looseObject({ percent: z.number().nullish(), inputTokens: z.coerce.number().nullish() }).nullish(),
})
type Job = z.output<typeof Job>

export interface FireworksOptions {
  readonly calls: ProviderCalls
  /** Id of the account. */
  readonly account: string
  readonly killed: AbortSignal
}

/** How soon a dataset is looked at again that the provider still reads, milliseconds, and how often. */
const datasetEveryMs = 1_000
const maxDatasetLooks = 900

/** Fine-tuning of Fireworks AI: datasets, `supervisedFineTuningJobs` and `dpoJobs` of an account. */
export function createFireworksApi({ calls, account, killed }: FireworksOptions): ProviderApi {
  const root = `/v1/accounts/${encodeURIComponent(account)}`
  const collectionOf = (kind: 'supervised' | 'dpo') => (kind === 'dpo' ? 'dpoJobs' : 'supervisedFineTuningJobs')

  /** A dataset keeps its id, so that an upload that was interrupted goes on with it. */
  async function upload(id: string, lines: Buffer): Promise<string> {
    const path = `${root}/datasets/${id}`
    const known = await calls.find(path, Dataset)
    const examples = String(lines.toString('latin1').split('\n').filter(Boolean).length)
    const body = { datasetId: id, dataset: { userUploaded: {}, exampleCount: examples } }
    if (known === null) await calls.post(`${root}/datasets`, body, Dataset)
    if (known?.state !== 'READY') {
      const form = new FormData()
      form.set('file', new Blob([new Uint8Array(lines)]), `${id}.jsonl`)
      await calls.post(`${path}:upload`, form, z.looseObject({}))
    }
    for (let looks = 0; looks < maxDatasetLooks; looks += 1) {
      const { state } = await calls.get(path, Dataset)
      if (state === 'READY') return `accounts/${account}/datasets/${id}`
      await wait(datasetEveryMs, undefined, { signal: killed })
    }
    throw new ProviderRefused(504, 'the provider does not finish reading the dataset')
  }

  return {
    provider: 'fireworks',
    async find({ name, spec }) {
      const found = await calls.find(`${root}/${collectionOf(spec.kind)}/${name}`, Job)
      return found === null ? null : jobOf(found)
    },
    async create(order) {
      const { name, spec, training, validation } = order
      const dataset = await upload(name, training)
      const evaluation = validation === null ? null : await upload(`${name}-valid`, validation)
      const query = `${spec.kind === 'dpo' ? 'dpoJobId' : 'supervisedFineTuningJobId'}=${name}`
      const body = {
        dataset,
        displayName: name,
        ...settingsOf(order, `accounts/${account}/models/${name}`, evaluation),
      }
      return jobOf(await calls.postOnce(`${root}/${collectionOf(spec.kind)}?${query}`, body, Job))
    },
    read: async (id) => jobOf(await calls.get(`/v1/${id}`, Job)),
    async cancel(id) {
      const { state } = await this.read(id)
      if (state !== 'waiting' && state !== 'running') return
      await calls.post(`/v1/${id}:cancel`, {}, z.looseObject({}))
    },
  }
}

function settingsOf({ spec }: ProviderOrder, outputModel: string, evaluationDataset: string | null): object {
  const { hyperparameters: given, base_model: base, kind } = spec
  const training = {
    baseModel: base.source,
    outputModel,
    epochs: given.n_epochs,
    learningRate: given.learning_rate,
    maxContextLength: given.max_sequence_length,
    batchSizeSamples: given.batch_size,
    ...(given.lora_rank === null ? {} : { loraRank: given.lora_rank }),
  }
  if (kind === 'dpo') return { trainingConfig: training, lossConfig: { method: 'DPO', klBeta: given.beta ?? 0.1 } }
  const earlyStop = given.early_stopping_patience !== null
  return { ...training, earlyStop, ...(evaluationDataset === null ? {} : { evaluationDataset }) }
}

const states: Readonly<Record<string, ProviderJob['state']>> = {
  JOB_STATE_UNSPECIFIED: 'waiting',
  JOB_STATE_CREATING: 'waiting',
  JOB_STATE_PENDING: 'waiting',
  JOB_STATE_VALIDATING: 'waiting',
  JOB_STATE_COMPLETED: 'succeeded',
  JOB_STATE_EARLY_STOPPED: 'succeeded',
  JOB_STATE_FAILED: 'failed',
  JOB_STATE_EXPIRED: 'failed',
  JOB_STATE_CANCELLED: 'cancelled',
  JOB_STATE_DELETING: 'cancelled',
}

function jobOf({ name, state: said, status, outputModel, trainingConfig, jobProgress }: Job): ProviderJob {
  const state = states[said] ?? 'running'
  return {
    id: name,
    state,
    message: state === 'failed' ? (status?.message ?? null) : null,
    progress: Math.min(1, (jobProgress?.percent ?? 0) / 100),
    trainedTokens: jobProgress?.inputTokens ?? null,
    model: state === 'succeeded' ? (outputModel ?? trainingConfig?.outputModel ?? null) : null,
  }
}
