import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type TrainerCommand,
  type TrainerEvent,
  type TrainerPhase,
  trainerCalls,
  trainerExits,
} from '@ratchet/contracts/trainer-protocol'
import type { TrainerSpec } from '@ratchet/contracts/trainer-spec'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { z } from 'zod'
import { TrainerCallRefused, type TrainerClient } from '../trainer-client.ts'
import {
  type ProviderApi,
  type ProviderJob,
  type ProviderOrder,
  ProviderRefused,
  ProviderSilent,
} from './provider-api.ts'

export interface ProviderRunDeps {
  readonly client: TrainerClient
  readonly api: ProviderApi
  readonly now: () => Date
  /** True from the moment on at which the worker stops. */
  readonly isPreempted: () => boolean
  readonly killed: AbortSignal
  /** Between two looks at the job of the provider, milliseconds. */
  readonly pollMs: number
  /** Cancels a job of the provider, also after `killed`. */
  readonly abandon: (id: string) => Promise<void>
  /** Whether the attempt has ended for the service, also after `killed`. */
  readonly isOver: () => Promise<boolean>
  /** Called when the attempt ends without a word to the service. */
  readonly onFailed: (error: unknown) => void
}

/** How often a job is created whose creation is not answered, and which is not found then. */
const maxCreations = 5
/** What is stored of a checkpoint: the provider keeps the weights. */
const stateFile = 'provider_job.json'

/**
 * One attempt at a job that a provider trains, from the spec to the result. The job of the provider has a name that follows
 * from ours, so a later attempt goes on with it. It cannot be paused: a pause cancels it, and the next attempt begins again.
 *
 * @returns an exit code of the trainer protocol
 */
export async function runProviderAttempt(deps: ProviderRunDeps): Promise<number> {
  try {
    const spec = await deps.client.call(trainerCalls.spec, {})
    if (spec.kind === 'grpo') throw new Error('providers train no runs of GRPO')
    return await new ProviderAttempt(deps, spec).run()
  } catch (error) {
    if (isSuperseded(error)) return trainerExits.done
    if (!deps.killed.aborted) deps.onFailed(error)
    return 1
  }
}

/** Whether the service does not know the attempt any more. */
export function isSuperseded(error: unknown): boolean {
  return error instanceof TrainerCallRefused && error.code === 'attempt_superseded'
}

class ProviderAttempt {
  readonly #deps: ProviderRunDeps
  readonly #spec: TrainerSpec
  #savedStep: number
  #step: number
  #phase: TrainerPhase = 'preparing'
  #command: TrainerCommand = 'continue'
  #nextSeq = 1
  #isCounted = false
  /** The job of the provider while the wallet does not cover it. */
  #uncovered: string | null = null
  /** Tokens of all epochs, as the service charges them. */
  #totalTokens: number

  constructor(deps: ProviderRunDeps, spec: TrainerSpec) {
    this.#deps = deps
    this.#spec = spec
    this.#savedStep = spec.resume?.step ?? 0
    this.#step = this.#savedStep
    this.#totalTokens = spec.plan.total_tokens
  }

  async run(): Promise<number> {
    await this.#beat()
    const everyMs = this.#spec.limits.heartbeat_seconds * 1_000
    // A call that is refused ends the attempt at its own next call.
    const stopBeating = repeatEvery({ everyMs, work: () => this.#beat(), onError: () => undefined })
    try {
      const job = await this.#job()
      await this.#adopt(job)
      return await this.#follow(job)
    } catch (error) {
      // When our job has failed because of that, nobody else will end it. After any other end the next attempt goes on with it.
      if (this.#uncovered !== null && (isSuperseded(error) || (await this.#deps.isOver())))
        await this.#deps.abandon(this.#uncovered)
      if (!(error instanceof ProviderRefused)) throw error
      return await this.#fail(`The provider refused the job: ${error.message}`, error.status >= 500)
    } finally {
      await stopBeating()
    }
  }

  async #job(): Promise<ProviderJob> {
    const { api, client } = this.#deps
    const { dataset, validation, resume } = this.#spec
    const saved = resume?.files.find(({ name }) => name === stateFile)
    const known = saved === undefined ? null : await api.read(readState(await client.download(saved.url)))
    if (known !== null && known.state !== 'cancelled') return known
    // A cancelled job keeps its name. All attempts after the same checkpoint use the same new one.
    const name = known === null ? nameOf(this.#spec) : `${nameOf(this.#spec)}-${this.#savedStep}`
    const found = await api.find({ name, spec: this.#spec })
    if (found !== null) return found
    const training = await client.download(dataset.url)
    const valid = validation === null ? null : await client.download(validation.url)
    const created = await this.#create({ name, spec: this.#spec, training, validation: valid })
    await this.#note(`${api.provider} has accepted the job as ${created.id}.`)
    return created
  }

  /** A job whose creation was not answered is looked for by its name before it is created again: two would be paid. */
  async #create(order: ProviderOrder): Promise<ProviderJob> {
    const { api, killed, pollMs } = this.#deps
    for (let tries = 1; ; tries += 1) {
      try {
        return await api.create(order)
      } catch (error) {
        if (!(error instanceof ProviderSilent) || tries === maxCreations) throw error
        await wait(pollMs, undefined, { signal: killed })
        const found = await api.find(order)
        if (found !== null) return found
      }
    }
  }

  /** Stores which job it is, so that this attempt has not been in vain when its worker stops. */
  async #adopt(job: ProviderJob): Promise<void> {
    const step = this.#savedStep + 1
    if (step < this.#spec.plan.total_steps && job.state !== 'succeeded') await this.#save(job, { step, tokens: 0 })
  }

  async #follow(job: ProviderJob): Promise<number> {
    const { api, killed, pollMs, isPreempted } = this.#deps
    for (let present = job; ; present = await api.read(job.id)) {
      if (present.state === 'succeeded') return await this.#succeed(present)
      if (present.state === 'failed') return await this.#fail(present.message ?? 'The provider gave no reason.', false)
      if (present.state === 'cancelled') return await this.#fail('The job was cancelled at the provider.', false)
      if (this.#command === 'pause' || this.#command === 'cancel') {
        await api.cancel(job.id)
        return await this.#stop(this.#command)
      }
      if (isPreempted()) return await this.#stop('preempted')
      if (present.state === 'running') this.#phase = 'training'
      const last = this.#spec.plan.total_steps - 1
      this.#step = Math.max(this.#savedStep, Math.min(last, Math.floor(present.progress * last)))
      await this.#count(present)
      await wait(pollMs, undefined, { signal: killed })
    }
  }

  /** Tells what the provider counted. A wallet that does not cover it ends the attempt. */
  async #count({ id, trainedTokens }: ProviderJob): Promise<void> {
    if (trainedTokens === null || this.#isCounted) return
    const { n_epochs: epochs } = this.#spec.hyperparameters
    const body = {
      used: this.#spec.dataset.examples,
      too_long: 0,
      tokens: Math.ceil(trainedTokens / epochs),
      p50_tokens: null,
      p95_tokens: null,
      stop_token_trained: null,
      chat_template_sha256: null,
    }
    this.#uncovered = id
    const { covered, plan } = await this.#deps.client.call(trainerCalls.data, body)
    this.#isCounted = covered
    this.#totalTokens = plan.total_tokens
    if (covered) this.#uncovered = null
  }

  async #succeed(job: ProviderJob): Promise<number> {
    const { client, api } = this.#deps
    this.#phase = 'uploading'
    while (job.trainedTokens !== null && !this.#isCounted) {
      await this.#count(job)
      if (!this.#isCounted) await wait(this.#deps.pollMs, undefined, { signal: this.#deps.killed })
    }
    if (job.model === null) return await this.#fail('The provider names no model.', false)
    const tokens = Math.min(job.trainedTokens ?? this.#totalTokens, this.#totalTokens)
    const step = this.#spec.plan.total_steps
    await this.#save(job, { step, tokens, servedAs: `${api.provider}/${job.model}` })
    await client.call(trainerCalls.result, { step, metrics: {} })
    return trainerExits.done
  }

  async #save(
    job: ProviderJob,
    {
      step,
      tokens,
      servedAs = null,
    }: { readonly step: number; readonly tokens: number; readonly servedAs?: string | null },
  ): Promise<void> {
    const { client, api } = this.#deps
    const bytes = Buffer.from(JSON.stringify({ provider: api.provider, job: job.id, model: job.model }))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const files = [{ name: stateFile, kind: 'state' as const, sha256, bytes: bytes.length }]
    const { uploads } = await client.call(trainerCalls.beginCheckpoint, { step, files })
    for (const { url, headers } of uploads) if (url !== null) await client.upload(url, headers, bytes)
    const said = { step, trained_tokens: tokens, epoch: null, metrics: {}, served_as: servedAs }
    await client.call(trainerCalls.commitCheckpoint, said)
    this.#savedStep = step
    this.#step = step
  }

  async #stop(reason: 'pause' | 'cancel' | 'preempted'): Promise<number> {
    if (reason !== 'preempted') await this.#note('The job was cancelled at the provider.')
    await this.#deps.client.call(trainerCalls.stopped, { reason, step: this.#savedStep })
    return trainerExits.stopped
  }

  async #fail(message: string, retryable: boolean): Promise<number> {
    const failure = { code: 'internal_error', message: message.slice(0, 2_000), retryable } as const
    await this.#deps.client.call(trainerCalls.failure, failure)
    return trainerExits.done
  }

  async #note(message: string): Promise<void> {
    const at = this.#deps.now().toISOString()
    const items: TrainerEvent[] = [{ type: 'message', at, level: 'info', message, data: {} }]
    await this.#deps.client.call(trainerCalls.events, { from_seq: this.#nextSeq, items })
    this.#nextSeq += 1
  }

  async #beat(): Promise<void> {
    const { command } = await this.#deps.client.call(trainerCalls.heartbeat, { step: this.#step, phase: this.#phase })
    this.#command = command
  }
}

/** The name of a job at its provider: letters, digits and dashes. */
function nameOf({ job_id: id }: TrainerSpec): string {
  return `ratchet-${createHash('sha256').update(id).digest('hex').slice(0, 20)}`
}

/** The id of the job, as `#save` has stored it. */
function readState(bytes: Buffer): string {
  return z.object({ job: z.string() }).parse(JSON.parse(bytes.toString())).job
}
