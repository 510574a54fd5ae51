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
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { sha256InSteps } from '../../data/read-lines.ts'
import { TrainerCallRefused } from '../trainer-client.ts'
import { type RunDeps, simVersion } from './run-deps.ts'
import { SimGrpoAttempt } from './run-grpo-attempt.ts'
import { saveCheckpoint } from './save-checkpoint.ts'
import {
  adapterIdentity,
  answerOf,
  figuresOf,
  initialAdapter,
  isSaved,
  numbersIn,
  servedAsOf,
  tokensAt,
  trainStep,
  validLossOf,
} from './sim-model.ts'
import { type Matrix, readMatrices } from './write-safetensors.ts'

/** Steps whose figures are sent in one call. */
const stepsPerCall = 10
const maxHeartbeatMs = 250

/**
 * One simulated attempt, from the spec to the result.
 *
 * @returns the exit code of the process that it would be
 */
export async function runAttempt(deps: RunDeps): Promise<number> {
  try {
    const spec = await deps.client.call(trainerCalls.spec, {})
    if (spec.kind === 'grpo') return await new SimGrpoAttempt(deps, spec).run()
    return await new SimAttempt(deps, spec).run()
  } catch (error) {
    if (error instanceof TrainerCallRefused && error.code === 'attempt_superseded') return trainerExits.done
    return 1
  }
}

class SimAttempt {
  readonly #deps: RunDeps
  readonly #spec: TrainerSpec
  #adapter: readonly Matrix[] = []
  #step = 0
  #savedStep: number
  #phase: TrainerPhase = 'preparing'
  #command: TrainerCommand = 'continue'
  #events: TrainerEvent[] = []
  #nextSeq = 1

  constructor(deps: RunDeps, spec: TrainerSpec) {
    this.#deps = deps
    this.#spec = spec
    this.#savedStep = spec.resume?.step ?? 0
  }

  async run(): Promise<number> {
    await this.#beat()
    const everyMs = Math.min(maxHeartbeatMs, this.#spec.limits.heartbeat_seconds * 1_000)
    // A call that is refused ends the training at its own next call.
    const stopBeating = repeatEvery({ everyMs, work: () => this.#beat(), onError: () => undefined })
    try {
      await this.#prepare()
      this.#phase = 'training'
      return await this.#train()
    } finally {
      await stopBeating()
    }
  }

  async #prepare(): Promise<void> {
    const { client } = this.#deps
    const { dataset, resume, warm_start: warmStart } = this.#spec
    const data = await client.download(dataset.url)
    if ((await createSlicedWork().run(sha256InSteps(data))) !== dataset.sha256)
      throw new Error('the dataset is another one')
    const saved = (resume?.files ?? warmStart)?.find(({ name }) => name === 'adapter_model.safetensors')
    this.#adapter = saved === undefined ? initialAdapter(this.#spec) : readMatrices(await client.download(saved.url))
    this.#step = resume?.step ?? 0
    this.#note('info', this.#step === 0 ? 'The training begins.' : `The training goes on after step ${this.#step}.`)
  }

  async #train(): Promise<number> {
    const { plan } = this.#spec
    const stepMs = Math.min(100, this.#deps.jobMs / plan.total_steps)
    while (this.#step < plan.total_steps) {
      const stop = this.#stopReason()
      if (stop !== null) return await this.#stop(stop)
      if (stepMs >= 1) await wait(stepMs, undefined, { signal: this.#deps.killed })
      this.#step += 1
      this.#adapter = trainStep(this.#spec, this.#adapter, this.#step)
      if (this.#measure() === 'diverged') return await this.#fail()
      if (this.#step % stepsPerCall === 0) await this.#flush()
      const isAsked = this.#command === 'checkpoint'
      if ((isAsked || isSaved(this.#spec, this.#step)) && (await this.#save())) break
    }
    return await this.#succeed()
  }

  #measure(): 'diverged' | 'fine' {
    const figures = figuresOf(this.#spec, this.#step)
    const values = { ...figures, tokens: tokensAt(this.#spec, this.#step) }
    this.#events.push({ type: 'metrics', at: this.#time(), step: this.#step, values })
    return figures.train_loss === null ? 'diverged' : 'fine'
  }

  /** @returns whether the job ends here */
  async #save(): Promise<boolean> {
    await this.#flush()
    const spec = this.#spec
    const step = this.#step
    const metrics = {
      ...figuresOf(spec, step),
      ...(spec.validation === null ? {} : { valid_loss: validLossOf(spec, step) }),
    }
    const trained = { trainedTokens: tokensAt(spec, step), servedAs: servedAsOf(spec, step) }
    const saved = { step, epoch: this.#epoch(), ...trained, metrics }
    const { stop } = await saveCheckpoint(this.#deps.client, spec, { ...saved, adapter: this.#adapter })
    if (spec.plan.servable_steps.includes(step)) await this.#takeFingerprint(trained.servedAs)
    this.#savedStep = step
    if (this.#command === 'checkpoint') this.#command = 'continue'
    return stop
  }

  async #takeFingerprint(servedAs: string | null): Promise<void> {
    const identity = adapterIdentity(numbersIn(this.#adapter), servedAs)
    const probes = this.#spec.probes.map((question, probe) => ({ probe, ...answerOf(identity, question) }))
    const fingerprint = { step: this.#step, chat_template_sha256: null, probes }
    await this.#deps.client.call(trainerCalls.fingerprint, fingerprint)
  }

  #stopReason(): 'pause' | 'cancel' | 'preempted' | null {
    if (this.#command === 'pause' || this.#command === 'cancel') return this.#command
    return this.#deps.isPreempted() ? 'preempted' : null
  }

  async #stop(reason: 'pause' | 'cancel' | 'preempted'): Promise<number> {
    if (this.#step > this.#savedStep) await this.#save()
    await this.#flush()
    await this.#deps.client.call(trainerCalls.stopped, { reason, step: this.#step })
    return trainerExits.stopped
  }

  async #fail(): Promise<number> {
    await this.#flush()
    const message = `The loss is not a number since step ${this.#step}. Lower the learning rate.`
    await this.#deps.client.call(trainerCalls.failure, { code: 'diverged', message, retryable: false })
    return trainerExits.done
  }

  async #succeed(): Promise<number> {
    const { client } = this.#deps
    this.#phase = 'uploading'
    await this.#flush()
    await client.call(trainerCalls.result, { step: this.#savedStep, metrics: figuresOf(this.#spec, this.#savedStep) })
    return trainerExits.done
  }

  async #beat(): Promise<void> {
    const body = { step: this.#step, phase: this.#phase, epoch: this.#epoch(), code_version: simVersion }
    const { command } = await this.#deps.client.call(trainerCalls.heartbeat, body)
    this.#command = command
  }

  /** Sends events in their order. What is sent again is stored once. */
  async #flush(): Promise<void> {
    const items = this.#events.splice(0)
    const fromSeq = this.#nextSeq
    this.#nextSeq += items.length
    for (let at = 0; at < items.length; at += this.#spec.limits.max_events) {
      const some = items.slice(at, at + this.#spec.limits.max_events)
      await this.#deps.client.call(trainerCalls.events, { from_seq: fromSeq + at, items: some })
    }
  }

  #note(level: 'info' | 'warn', message: string): void {
    this.#events.push({ type: 'message', at: this.#time(), level, message, data: {} })
  }

  #epoch(): number {
    const { plan, hyperparameters } = this.#spec
    return (this.#step / plan.total_steps) * hyperparameters.n_epochs
  }

  #time(): string {
    return this.#deps.now().toISOString()
  }
}
