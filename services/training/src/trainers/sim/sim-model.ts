import { createHash } from 'node:crypto'
import type { TrainerSpec } from '@ratchet/contracts/trainer-spec'
import type { Matrix } from './write-safetensors.ts'

/** What decides how a simulated training goes. */
export type SimSettings = Pick<TrainerSpec, 'kind' | 'seed' | 'hyperparameters' | 'plan'> & {
  readonly dataset: Pick<TrainerSpec['dataset'], 'sha256'>
}

/** Width of the layer that the adapter is for. */
const width = 16
const layer = 'base_model.model.model.layers.0.self_attn.q_proj'
/** A rate from which the simulated loss is no number after a few steps. */
const divergingRate = 5e-3
const divergedStep = 3

/** The adapter before the first step: A at random, B zero, as LoRA begins. */
export function initialAdapter(settings: SimSettings): readonly Matrix[] {
  const rank = settings.hyperparameters.lora_rank ?? 8
  const numbers = numbersOf(settings, 'start', rank * width)
  return [
    { name: `${layer}.lora_A.weight`, shape: [rank, width], values: Float32Array.from(numbers) },
    { name: `${layer}.lora_B.weight`, shape: [width, rank], values: new Float32Array(width * rank) },
  ]
}

/** The adapter after one more step. It depends on the adapter before, the settings and the data alone. */
export function trainStep(settings: SimSettings, adapter: readonly Matrix[], step: number): readonly Matrix[] {
  const rate = settings.hyperparameters.learning_rate
  return adapter.map(({ name, shape, values }) => {
    const gradient = numbersOf(settings, `${name} ${step}`, values.length)
    return { name, shape, values: values.map((value, index) => value * (1 - rate) + rate * (gradient[index] ?? 0)) }
  })
}

/** Figures of a step, from 1: a loss that falls with some noise. Null: no finite number. */
export function figuresOf(settings: SimSettings, step: number): Readonly<Record<string, number | null>> {
  const { kind, hyperparameters, plan } = settings
  const rate = hyperparameters.learning_rate
  const [noise = 0] = numbersOf(settings, `loss ${step}`, 1)
  const [from, to] = kind === 'dpo' ? [0.69, 0.03] : [2.5, 0.03]
  const loss = to + (from - to) * Math.exp((-6 * step) / plan.total_steps) + 0.01 * noise
  const hasDiverged = rate >= divergingRate && step >= divergedStep
  return {
    train_loss: hasDiverged ? null : loss,
    learning_rate: rate * (1 - (step - 1) / plan.total_steps),
    grad_norm: hasDiverged ? null : 1 + 0.1 * noise,
  }
}

/** Loss on the examples that are not trained on, slightly higher. */
export function validLossOf(settings: SimSettings, step: number): number | null {
  const { train_loss: loss = null } = figuresOf(settings, step)
  return loss === null ? null : loss * 1.05 + 0.02
}

/**
 * The model of the simulated provider that answers as a checkpoint does: the better its loss on other examples, the more of its
 * answers are right. Null where the loss is no number.
 */
export function servedAsOf(settings: SimSettings, step: number): string | null {
  const loss = validLossOf(settings, step)
  return loss === null ? null : `sim/quality-${Math.exp(-Math.max(0, loss)).toFixed(2)}`
}

/** Tokens that are trained on up to a step. */
export function tokensAt({ plan }: Pick<SimSettings, 'plan'>, step: number): number {
  return Math.floor((plan.total_tokens * step) / plan.total_steps)
}

/** Steps after which the state must be saved. */
export function isSaved({ plan }: Pick<SimSettings, 'plan'>, step: number): boolean {
  return step === plan.total_steps || plan.servable_steps.includes(step) || step % plan.save_every_steps === 0
}

/**
 * What distinguishes a simulated adapter from others: its numbers, and the model that answers as it does.
 *
 * @param numbers of its matrices one after the other, as in its safetensors file
 */
export function adapterIdentity(numbers: Uint8Array, servedAs: string | null): string {
  return `${createHash('sha256').update(numbers).digest('hex')} ${servedAs}`
}

/** The numbers of matrices, one after the other. */
export function numbersIn(adapter: readonly Matrix[]): Buffer {
  return Buffer.concat(adapter.map(({ values }) => Buffer.from(values.buffer, values.byteOffset, values.byteLength)))
}

/** What a model answers to a question, as tokens of a vocabulary of 1,000, and their logarithmic probabilities. */
export function answerOf(identity: string, probe: string): { token_ids: number[]; logprobs: number[] } {
  const digest = createHash('sha256').update(`${identity} ${probe}`).digest()
  const bytes = [...digest.subarray(0, 16)]
  return { token_ids: bytes.map((byte) => byte * 3), logprobs: bytes.map((byte) => -byte / 256) }
}

/** Numbers from -1 to 1 that look random and are a function of settings and name. */
function numbersOf({ seed, dataset }: SimSettings, name: string, count: number): number[] {
  const numbers: number[] = []
  for (let block = 0; numbers.length < count; block += 1) {
    const digest = createHash('sha256').update(`${seed} ${dataset.sha256} ${name} ${block}`).digest()
    for (let at = 0; at < digest.length; at += 4) numbers.push(digest.readUInt32LE(at) / 2 ** 31 - 1)
  }
  return numbers.slice(0, count)
}
