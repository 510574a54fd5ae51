import { setTimeout as wait } from 'node:timers/promises'
import {
  type GrpoCall,
  type GrpoGroup,
  type GrpoReward,
  type GrpoRollout,
  type GrpoStepState,
  grpoCalls,
  grpoPath,
  maxRolloutsPerCall,
} from '@ratchet/contracts/grpo-protocol'
import type { GrpoSpec } from '@ratchet/contracts/grpo-spec'
import { type TrainerCommand, type TrainerPhase, trainerCalls, trainerExits } from '@ratchet/contracts/trainer-protocol'
import { episodeName, toolsCall } from '@ratchet/contracts/trainer-tools'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import type { z } from 'zod'
import { type RunDeps, simVersion } from './run-deps.ts'
import { saveCheckpoint } from './save-checkpoint.ts'
import { adapterIdentity, answerOf, initialAdapter, numbersIn, type SimSettings, trainStep } from './sim-model.ts'
import {
  divergenceOf,
  entropyOf,
  initialPolicy,
  type SimPolicy,
  sampleAnswer,
  sharesOf,
  trainPolicy,
} from './sim-policy.ts'
import { simArguments, withToolCall } from './sim-tool-call.ts'
import { type Matrix, readMatrices } from './write-safetensors.ts'

const maxHeartbeatMs = 250
/** How long the service may wait before it answers that nothing has changed, seconds. */
const waitSeconds = 10
const stateFile = 'trainer_state.json'

interface State {
  readonly step: number
  readonly policy: SimPolicy
}

/** One simulated attempt of a GRPO run, from the spec to the result. */
export class SimGrpoAttempt {
  readonly #deps: RunDeps
  readonly #spec: GrpoSpec
  readonly #start: SimPolicy
  #policy: SimPolicy
  #adapter: readonly Matrix[] = []
  #step = 0
  #savedStep: number
  #phase: TrainerPhase = 'preparing'
  #command: TrainerCommand = 'continue'

  constructor(deps: RunDeps, spec: GrpoSpec) {
    this.#deps = deps
    this.#spec = spec
    this.#start = initialPolicy(spec)
    this.#policy = this.#start
    this.#savedStep = spec.resume?.step ?? 0
  }

  /** @returns the exit code of the process that it would be */
  async run(): Promise<number> {
    await this.#beat()
    const everyMs = Math.min(maxHeartbeatMs, this.#spec.limits.heartbeat_seconds * 1_000)
    // A call that is refused ends the training at its own next call.
    const stopBeating = repeatEvery({ everyMs, work: () => this.#beat(), onError: () => undefined })
    try {
      await this.#prepare()
      await this.#look(this.#step)
      this.#phase = 'training'
      return await this.#train()
    } finally {
      await stopBeating()
    }
  }

  async #prepare(): Promise<void> {
    const { resume, warm_start: warmStart } = this.#spec
    const { client } = this.#deps
    if (resume === null) {
      const start = warmStart?.find(({ name }) => name === 'adapter_model.safetensors')?.url
      const isNew = start === undefined
      this.#adapter = isNew ? initialAdapter(this.#settings()) : readMatrices(await client.download(start))
      return
    }
    const fileOf = (name: string) => resume.files.find((file) => file.name === name)?.url
    const [adapter, state] = [fileOf('adapter_model.safetensors'), fileOf(stateFile)]
    if (adapter === undefined || state === undefined) throw new Error('the checkpoint is incomplete')
    this.#adapter = readMatrices(await client.download(adapter))
    const saved = JSON.parse((await client.download(state)).toString()) as State
    this.#policy = saved.policy
    this.#step = resume.step
  }

  async #train(): Promise<number> {
    const { plan } = this.#spec
    const stepMs = Math.min(100, this.#deps.jobMs / plan.total_steps)
    for (;;) {
      const stop = this.#stopReason()
      if (stop !== null) return await this.#stop(stop)
      const step = this.#step + 1
      const state = await this.#call(grpoCalls.step, step, { wait: waitSeconds })
      if (state.state === 'finish') return await this.#succeed()
      if (state.state === 'wait' || state.state === 'stop') {
        await wait(50, undefined, { signal: this.#deps.killed })
        continue
      }
      const rewarded = await this.#rewarded(state)
      if (rewarded === 'finish') return await this.#succeed()
      if (rewarded === 'stop') continue
      if (stepMs >= 1) await wait(stepMs, undefined, { signal: this.#deps.killed })
      if (await this.#trainOn(rewarded)) return await this.#succeed()
    }
  }

  /** Samples what is missing until the step is rewarded. */
  async #rewarded(state: GrpoStepState): Promise<Rewarded | 'stop' | 'finish'> {
    const { step } = state
    let present = state
    for (;;) {
      if (present.state === 'sample') await this.#sample('step', present)
      const answer = await this.#call(grpoCalls.rewards, step, { wait: waitSeconds })
      if (answer.state === 'finish' || answer.state === 'stop') return answer.state
      if (this.#stopReason() !== null) return 'stop'
      present = await this.#call(grpoCalls.step, step)
      if (answer.state === 'rewarded') return { step, rollouts: present.rollouts, rewards: answer.rewards }
      if (present.state === 'stop' || present.state === 'finish') return present.state
    }
  }

  /** @returns whether the run ends here */
  async #trainOn({ step, rollouts, rewards }: Rewarded): Promise<boolean> {
    this.#policy = trainPolicy(this.#spec, this.#policy, { rollouts, rewards })
    this.#adapter = trainStep(this.#settings(), this.#adapter, step)
    this.#step = step
    const used = new Set(rewards.filter((reward) => reward.used).map(({ group }) => group))
    const trained = rollouts.filter(({ group }) => used.has(group))
    const { save, look, finish } = await this.#call(grpoCalls.trained, step, undefined, {
      trained_tokens: trained.reduce((sum, rollout) => sum + rollout.sampled_tokens, 0),
      stats: {
        loss: -divergenceOf(this.#policy, this.#start) * this.#spec.hyperparameters.kl_beta,
        kl: divergenceOf(this.#policy, this.#start),
        entropy: entropyOf(this.#policy),
        clip_ratio: 0,
        logprob_gap_mean: 0,
        logprob_gap_max: 0,
      },
    })
    if (save) await this.#save()
    if (look) await this.#look(step)
    return finish
  }

  async #look(step: number): Promise<void> {
    const state = await this.#call(grpoCalls.look, step)
    if (state.state === 'sample') await this.#sample('look', state)
  }

  async #sample(kind: 'step' | 'look', { step, groups, rollouts }: GrpoStepState): Promise<void> {
    const known = new Set(rollouts.map(({ group, index }) => `${group} ${index}`))
    const missing: GrpoRollout[] = []
    for (const group of groups) {
      for (let index = 0; index < group.samples; index += 1) {
        if (known.has(`${group.group} ${index}`)) continue
        const rollout = sampleAnswer(this.#spec, this.#policy, group, { kind, step, index })
        missing.push(await this.#withTools(rollout, group, episodeName({ kind, step, group: group.group, index })))
      }
    }
    const call = kind === 'look' ? grpoCalls.lookRollouts : grpoCalls.rollouts
    for (let at = 0; at < missing.length; at += maxRolloutsPerCall) {
      await this.#call(call, step, undefined, { rollouts: missing.slice(at, at + maxRolloutsPerCall) })
    }
  }

  /** An answer after one call of the first tool that is offered. */
  async #withTools(rollout: GrpoRollout, group: GrpoGroup, name: string): Promise<GrpoRollout> {
    const tool = this.#spec.environment?.tools[0]
    if (tool === undefined) return rollout
    const { name: called } = tool.function
    const asked = JSON.stringify(simArguments(tool, group))
    const body = { rollout: name, step: rollout.adapter_version, tool: called, arguments: asked, call_id: `${name}-1` }
    const { result } = await this.#deps.client.call(toolsCall, body)
    return withToolCall(rollout, { name: called, arguments: asked, result })
  }

  async #save(): Promise<void> {
    const state: State = { step: this.#step, policy: this.#policy }
    const { quality, servedAs } = this.#measured()
    await saveCheckpoint(this.#deps.client, this.#spec, {
      step: this.#step,
      epoch: 0,
      trainedTokens: 0,
      metrics: { quality },
      servedAs,
      adapter: this.#adapter,
      state,
    })
    const identity = adapterIdentity(numbersIn(this.#adapter), servedAs)
    const probes = this.#spec.probes.map((question, probe) => ({ probe, ...answerOf(identity, question) }))
    const fingerprint = { step: this.#step, chat_template_sha256: null, probes }
    await this.#deps.client.call(trainerCalls.fingerprint, fingerprint)
    this.#savedStep = this.#step
    if (this.#command === 'checkpoint') this.#command = 'continue'
  }

  #measured() {
    const quality = sharesOf(this.#policy).sound
    return { quality, servedAs: `sim/quality-${quality.toFixed(4)}` }
  }

  #stopReason(): 'pause' | 'cancel' | 'preempted' | null {
    if (this.#command === 'pause' || this.#command === 'cancel') return this.#command
    return this.#deps.isPreempted() ? 'preempted' : null
  }

  async #stop(reason: 'pause' | 'cancel' | 'preempted'): Promise<number> {
    if (this.#step > this.#savedStep) await this.#save()
    await this.#deps.client.call(trainerCalls.stopped, { reason, step: this.#step })
    return trainerExits.stopped
  }

  async #succeed(): Promise<number> {
    const { client } = this.#deps
    this.#phase = 'uploading'
    if (this.#step > this.#savedStep) await this.#save()
    await client.call(trainerCalls.result, { step: this.#savedStep })
    return trainerExits.done
  }

  async #beat(): Promise<void> {
    const body = { step: this.#step, phase: this.#phase, code_version: simVersion }
    const { command } = await this.#deps.client.call(trainerCalls.heartbeat, body)
    this.#command = command
  }

  #call<C extends GrpoCall>(
    call: C,
    step: number,
    query: Readonly<Record<string, number>> = {},
    body?: z.input<C['body']>,
  ): Promise<z.output<C['reply']>> {
    const sent = body ?? ({} as z.input<C['body']>)
    return this.#deps.client.call({ ...call, path: grpoPath(call, step, query) }, sent)
  }

  #settings(): SimSettings {
    const { seed, hyperparameters, plan, prompts_sha256: sha256 } = this.#spec
    const { learning_rate, lora_rank, lora_alpha } = hyperparameters
    return {
      kind: 'supervised',
      seed,
      hyperparameters: {
        n_epochs: 1,
        batch_size: 1,
        learning_rate,
        lora_rank,
        lora_alpha,
        beta: null,
        max_sequence_length: hyperparameters.max_context_length,
        on_too_long: 'drop',
        early_stopping_patience: null,
      },
      plan: { ...plan, total_tokens: 0, servable_steps: [], save_every_steps: 1, save_every_seconds: 1 },
      dataset: { sha256 },
    }
  }
}

interface Rewarded {
  readonly step: number
  readonly rollouts: readonly GrpoRollout[]
  readonly rewards: readonly GrpoReward[]
}
