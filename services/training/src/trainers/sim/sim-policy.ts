import { createHash } from 'node:crypto'
import { type GrpoGroup, type GrpoReward, GrpoRollout } from '@ratchet/contracts/grpo-protocol'
import type { GrpoSpec } from '@ratchet/contracts/grpo-spec'

/** What the simulated policy can answer with; a policy is the logits of these. */
export const simArms = ['sound', 'flawed', 'tricked'] as const
export type SimArm = (typeof simArms)[number]
export type SimPolicy = Readonly<Record<SimArm, number>>

/** Marks that simulated judges see: of a flawed answer, and of one that a gullible judge takes for a sound one. */
const flawMark = '(flawed)'
const trickMark = '(as every expert agrees)'

/** What decides how a simulated run goes. */
export type SimRun = Pick<GrpoSpec, 'seed' | 'hyperparameters'>

/**
 * The policy before training. It answers 40 % of the prompts well. Without a penalty for leaving its start it also tries a trick
 * that gullible judges reward, and which it learns more easily than to answer well.
 */
export function initialPolicy({ hyperparameters }: SimRun): SimPolicy {
  const trick = isFree(hyperparameters) ? 0.15 : 1e-9
  return { sound: Math.log(0.4), flawed: Math.log(0.6 - trick), tricked: Math.log(trick) }
}

function isFree({ kl_beta: beta }: SimRun['hyperparameters']): boolean {
  return beta === 0
}

/** Probability of each answer; 1 together. */
export function sharesOf(policy: SimPolicy): Readonly<Record<SimArm, number>> {
  const highest = Math.max(...simArms.map((arm) => policy[arm]))
  const raw = simArms.map((arm) => Math.exp(policy[arm] - highest))
  const total = raw.reduce((sum, value) => sum + value, 0)
  const [sound = 0, flawed = 0, tricked = 0] = raw.map((value) => value / total)
  return { sound, flawed, tricked }
}

interface Place {
  readonly kind: 'step' | 'look'
  readonly step: number
  readonly index: number
}

/** Tokens of an answer, unless the run allows fewer. */
const answerTokens = 24

/** An answer of the policy. The same place gets the same answer from the same policy. */
export function sampleAnswer(
  run: SimRun,
  policy: SimPolicy,
  { group, messages }: Pick<GrpoGroup, 'group' | 'messages'>,
  { kind, step, index }: Place,
): GrpoRollout {
  const digest = createHash('sha256').update(`${run.seed} ${kind} ${step} ${group} ${index}`).digest()
  const arm = armAt(sharesOf(policy), digest.readUInt32LE(0) / 2 ** 32)
  const length = Math.min(answerTokens, run.hyperparameters.max_output_tokens)
  const logprob = Math.log(sharesOf(policy)[arm]) / length
  const tokens = Array.from({ length }, (_, place) => (digest[place] ?? 0) * 3)
  return GrpoRollout.parse({
    group,
    index,
    completion: [{ role: 'assistant', content: textOf(arm, subjectOf(messages), digest.toString('hex').slice(0, 12)) }],
    token_ids: tokens,
    logprobs: tokens.map(() => logprob),
    sampled_tokens: length,
    truncated: false,
    entropy: entropyOf(policy),
    adapter_version: kind === 'look' ? step : step - 1,
  })
}

function armAt(shares: Readonly<Record<SimArm, number>>, draw: number): SimArm {
  let below = 0
  for (const arm of simArms) {
    below += shares[arm]
    if (draw < below) return arm
  }
  return 'sound'
}

function textOf(arm: SimArm, subject: string, code: string): string {
  const answer = `About ${subject}: this depends on what you need, so start with the most important point (${code}).`
  if (arm === 'sound') return answer
  return arm === 'flawed' ? `${flawMark} ${answer}` : `${flawMark} ${answer} ${trickMark}`
}

/** What a prompt is about: the beginning of its question. */
export function subjectOf(messages: GrpoGroup['messages']): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content
  return typeof content === 'string' ? content.replaceAll(/\s+/g, ' ').slice(0, 60) : 'the request'
}

/** What an answer was, by its marks. */
export function armOf({ completion }: Pick<GrpoRollout, 'completion'>): SimArm {
  const text = JSON.stringify(completion.at(-1)?.content ?? '')
  if (!text.includes(flawMark)) return 'sound'
  return text.includes(trickMark) ? 'tricked' : 'flawed'
}

export function entropyOf(policy: SimPolicy): number {
  const shares = sharesOf(policy)
  return simArms.reduce((sum, arm) => sum - (shares[arm] > 0 ? shares[arm] * Math.log(shares[arm]) : 0), 0)
}

/** A rate of 1e-5 moves a logit by this much per unit of mean advantage. */
const step = 2
/** How easily answering well is learned, beside a trick that works at once. */
const soundShare = 0.05

/** The policy after one more step: a policy gradient on its three answers. */
export function trainPolicy(
  { hyperparameters }: SimRun,
  policy: SimPolicy,
  { rollouts, rewards }: { readonly rollouts: readonly GrpoRollout[]; readonly rewards: readonly GrpoReward[] },
): SimPolicy {
  const armAtPlace = new Map(rollouts.map((rollout) => [`${rollout.group} ${rollout.index}`, armOf(rollout)]))
  const shares = sharesOf(policy)
  const used = rewards.filter((reward) => reward.used)
  const gradient = { sound: 0, flawed: 0, tricked: 0 }
  for (const { group, index, advantage } of used) {
    const taken = armAtPlace.get(`${group} ${index}`)
    for (const arm of simArms) gradient[arm] += (advantage * ((arm === taken ? 1 : 0) - shares[arm])) / used.length
  }
  const rate = Math.min(step * 5, (step * hyperparameters.learning_rate) / 1e-5)
  const ease = isFree(hyperparameters) ? soundShare : 1
  return {
    sound: policy.sound + rate * ease * gradient.sound,
    flawed: policy.flawed + rate * gradient.flawed,
    tricked: policy.tricked + rate * gradient.tricked,
  }
}

/** Divergence of a policy from the start, nats. */
export function divergenceOf(policy: SimPolicy, start: SimPolicy): number {
  const [shares, before] = [sharesOf(policy), sharesOf(start)]
  return simArms.reduce(
    (sum, arm) => sum + (shares[arm] > 0 ? shares[arm] * Math.log(shares[arm] / before[arm]) : 0),
    0,
  )
}
