import { z } from 'zod'
import type { ProviderApi, ProviderJob, ProviderOrder } from './provider-api.ts'
import type { ProviderCalls } from './provider-calls.ts'

const File = z.looseObject({ id: z.string() })

const Job = z.looseObject({
  id: z.string(),
  status: z.string(),
  model_output_name: z.string().nullish(),
  token_count: z.int().min(0).nullish(),
  epochs_completed: z.number().nullish(),
  n_epochs: z.number().nullish(),
  events: z
    .array(
      z.looseObject({
        type: z.string(),
        message: z.string().default(''),
        step: z.int().nullish(),
        total_steps: z.int().nullish(),
      }),
    )
    .nullish(),
})
type Job = z.output<typeof Job>

/** Fine-tuning of Together AI: `/v1/fine-tunes` and `/v1/files`. */
export function createTogetherApi(calls: ProviderCalls): ProviderApi {
  async function upload(name: string, lines: Buffer): Promise<string> {
    const form = new FormData()
    form.set('purpose', 'fine-tune')
    form.set('file_name', `${name}.jsonl`)
    form.set('file_type', 'jsonl')
    form.set('file', new Blob([new Uint8Array(lines)]), `${name}.jsonl`)
    return (await calls.post('/files/upload', form, File)).id
  }
  return {
    provider: 'together',
    async find({ name }) {
      // The name of the model contains the suffix; a job has no other field of ours.
      const { data } = await calls.get('/fine-tunes', z.looseObject({ data: z.array(Job) }))
      const found = data.find((job) => job.model_output_name?.includes(name) && job.status !== 'cancelled')
      return found === undefined ? null : jobOf(found)
    },
    async create(order) {
      const { name, training, validation } = order
      const files = {
        training_file: await upload(name, training),
        ...(validation === null ? {} : { validation_file: await upload(`${name}-valid`, validation) }),
      }
      return jobOf(await calls.postOnce('/fine-tunes', { ...settingsOf(order), ...files }, Job))
    },
    read: async (id) => jobOf(await calls.get(`/fine-tunes/${encodeURIComponent(id)}`, Job)),
    async cancel(id) {
      const { state } = await this.read(id)
      if (state !== 'waiting' && state !== 'running') return
      await calls.post(`/fine-tunes/${encodeURIComponent(id)}/cancel`, {}, z.looseObject({}))
    },
  }
}

function settingsOf({ name, spec }: ProviderOrder): object {
  const { hyperparameters: given, base_model: base, seed, kind, plan } = spec
  return {
    model: base.source,
    suffix: name,
    n_epochs: given.n_epochs,
    n_checkpoints: plan.servable_steps.length,
    batch_size: given.batch_size,
    learning_rate: given.learning_rate,
    max_seq_length: given.max_sequence_length,
    random_seed: seed,
    training_method:
      kind === 'dpo' ? { method: 'dpo', dpo_beta: given.beta ?? 0.1 } : { method: 'sft', train_on_inputs: false },
    training_type:
      given.lora_rank === null
        ? { type: 'Full' }
        : { type: 'Lora', lora_r: given.lora_rank, lora_alpha: given.lora_alpha ?? given.lora_rank },
  }
}

const states: Readonly<Record<string, ProviderJob['state']>> = {
  pending: 'waiting',
  queued: 'waiting',
  completed: 'succeeded',
  error: 'failed',
  cancelled: 'cancelled',
}

function jobOf(job: Job): ProviderJob {
  const { id, status, model_output_name: model, token_count: tokens } = job
  const state = states[status] ?? 'running'
  const failure = job.events?.findLast(({ type }) => type === 'job_error')?.message ?? null
  return {
    id,
    state,
    message: state === 'failed' ? failure : null,
    progress: progressOf(job),
    trainedTokens: tokens ?? null,
    model: state === 'succeeded' ? (model ?? null) : null,
  }
}

function progressOf({
  events,
  epochs_completed: done,
  n_epochs: epochs,
}: Pick<Job, 'events' | 'epochs_completed' | 'n_epochs'>): number {
  const last = events?.findLast(({ step, total_steps: total }) => (step ?? 0) > 0 && (total ?? 0) > 0)
  const byStep = last === undefined ? 0 : (last.step ?? 0) / (last.total_steps ?? 1)
  const byEpoch = (done ?? 0) / Math.max(1, epochs ?? 1)
  return Math.min(1, Math.max(byStep, byEpoch))
}
