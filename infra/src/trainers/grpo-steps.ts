import type { ChatMessage } from '@ratchet/contracts/chat-message'
import { type GrpoReward, type GrpoRollout, grpoCalls, lookSamples } from '@ratchet/contracts/grpo-protocol'
import type { GrpoSpec } from '@ratchet/contracts/grpo-spec'
import type { toolsCall } from '@ratchet/contracts/trainer-tools'
import type { z } from 'zod'

type Messages = readonly z.output<typeof ChatMessage>[]

/** What a test asks of a run, beside its specification. */
export interface GivenRun {
  readonly prompts: readonly Messages[]
  readonly look_prompts: readonly Messages[]
  /** How an answer is rewarded. */
  readonly reward: { readonly max_words?: number; readonly ends_with?: string }
  /** What every tool answers, how often in one answer, and whether the answer is over then. Absent: the run has no tools. */
  readonly tool?: { readonly result: string; readonly max_calls: number; readonly done?: boolean }
  /** Groups without variance that are replaced, of a step. */
  readonly resample: number
  readonly save_every: number
  readonly look_every: number
}

export type GivenGrpoSpec = Omit<GrpoSpec, 'attempt' | 'resume'> & { readonly run: GivenRun }

interface Group {
  readonly group: number
  readonly prompt_index: number
  readonly messages: Messages
  readonly samples: number
}

interface Sampling {
  readonly groups: Group[]
  readonly rollouts: Map<string, GrpoRollout>
}

interface GrpoStep extends Sampling {
  /** Calls of rewards that are answered with `judging` before the verdicts are there. */
  polls: number
  resampled: number
  trainedBy: number | null
}

/** The steps of a run, as the service would keep them, in memory. */
export interface GrpoRun {
  readonly steps: Map<number, GrpoStep>
  readonly looks: Map<number, Sampling>
  /** How often each answer was judged. */
  readonly verdicts: Record<string, number>
  /** How often each answer was sent. */
  readonly sent: Record<string, number>
  readonly trained: { step: number; generation: number; trained_tokens: number; stats: object }[]
  /** Calls of tools by their ids, and how often each was asked for. */
  readonly toolCalls: Record<string, { rollout: string; tool: string; arguments: string; asked: number }>
  /** The step at which the run says that it goes no further; null: none. */
  stopAt: number | null
  /** The step before which the run ends; null: none. */
  finishAt: number | null
}

export function createGrpoRun(): GrpoRun {
  return {
    steps: new Map(),
    looks: new Map(),
    verdicts: {},
    sent: {},
    toolCalls: {},
    trained: [],
    stopAt: null,
    finishAt: null,
  }
}

export interface GrpoCallOf {
  readonly run: GrpoRun
  readonly given: GivenGrpoSpec
  readonly generation: number
  readonly step: number
  readonly body: unknown
}

type GrpoCallName = keyof typeof grpoCalls

/** The call of a path and its step; null when it is none of a run. */
export function findGrpoCall(method: string, url: string): { name: GrpoCallName; step: number } | null {
  const [path = ''] = url.split('?')
  for (const [name, call] of Object.entries(grpoCalls)) {
    const [before = '', after = ''] = call.path.split(':step')
    const number = path.slice(before.length, path.length - after.length)
    if (call.method !== method.toLowerCase() || path !== before + number + after || !/^\d+$/.test(number)) continue
    return { name: name as GrpoCallName, step: Number(number) }
  }
  return null
}

/** Answers a call of a tool: the same in every repetition. */
export function answerTool({ run, given }: Pick<GrpoCallOf, 'run' | 'given'>, body: z.output<typeof toolsCall.body>) {
  const { call_id: id, rollout, tool, arguments: text } = body
  const found = run.toolCalls[id] ?? { rollout, tool, arguments: text, asked: 0 }
  run.toolCalls[id] = { ...found, asked: found.asked + 1 }
  const before = Object.keys(run.toolCalls).indexOf(id)
  const earlier = Object.values(run.toolCalls)
    .slice(0, before)
    .filter((each) => each.rollout === rollout).length
  const { result = '', max_calls: maxCalls = 0, done = false } = given.run.tool ?? {}
  const refused = { code: 'too_many_calls', message: 'Too many calls.' } as const
  const isOver = earlier >= maxCalls
  return {
    ok: !isOver,
    result: isOver ? refused.message : result,
    truncated: false,
    done: !isOver && done,
    reward: null,
    recorded_hit: null,
    error: isOver ? refused : null,
  }
}

/** Answers a call whose body was checked. */
export function answerGrpo(name: GrpoCallName, call: GrpoCallOf): unknown {
  return handlers[name](call)
}

// biome-ignore lint/suspicious/noExplicitAny: each body has just been parsed by the schema of its call.
type AnyBody = any

const handlers: Readonly<Record<GrpoCallName, (call: GrpoCallOf) => unknown>> = {
  step({ run, given, generation, step }) {
    if (run.stopAt === step) return stateOf(given, step, 'stop')
    if (run.finishAt === step) return stateOf(given, step, 'finish')
    if (step > 1 && run.steps.get(step - 1)?.trainedBy == null) return stateOf(given, step, 'wait')
    const found = stepOf(run, given, step)
    const state = missingOf(found).length > 0 ? 'sample' : 'rewarded'
    const replayed = found.trainedBy !== null && found.trainedBy !== generation
    return { ...stateOf(given, step, state, found), replayed }
  },
  rollouts: ({ run, given, step, body }) => store(run, stepOf(run, given, step), { label: `step ${step}`, body }),
  rewards({ run, given, step }) {
    const found = stepOf(run, given, step)
    if (missingOf(found).length > 0) return { step, state: 'sample', rewards: [] }
    if (found.polls > 0) {
      found.polls -= 1
      return { step, state: 'judging', rewards: [] }
    }
    const rewards = rewardsOf(run, given, { step, found })
    const flat = [...Map.groupBy(rewards, ({ group }) => group).values()].filter(isFlat)
    if (flat.length > 0 && found.resampled < given.run.resample) {
      found.resampled += 1
      found.groups.push(groupOf(given, step, found.groups.length))
      return { step, state: 'sample', rewards: [] }
    }
    return { step, state: 'rewarded', rewards }
  },
  trained({ run, given, generation, step, body }) {
    const found = stepOf(run, given, step)
    found.trainedBy = generation
    run.trained.push({ step, generation, ...(body as AnyBody) })
    const isLast = step === given.plan.total_steps
    return { step, save: isLast || step % given.run.save_every === 0, look: hasLook(given, step), finish: isLast }
  },
  look({ run, given, step }) {
    if (!hasLook(given, step)) return stateOf(given, step, 'wait')
    const found = lookOf(run, given, step)
    return stateOf(given, step, missingOf(found).length > 0 ? 'sample' : 'judging', found)
  },
  lookRollouts: ({ run, given, step, body }) => store(run, lookOf(run, given, step), { label: `look ${step}`, body }),
}

function hasLook({ run, plan }: GivenGrpoSpec, step: number): boolean {
  return step === plan.total_steps || step % run.look_every === 0
}

function stateOf(given: GivenGrpoSpec, step: number, state: string, found?: Sampling) {
  const tools = given.environment?.tools ?? null
  const groups = (found?.groups ?? []).map((group) => ({ ...group, tools }))
  return { step, state, groups, rollouts: [...(found?.rollouts.values() ?? [])], replayed: false }
}

function stepOf(run: GrpoRun, given: GivenGrpoSpec, step: number): GrpoStep {
  const present = run.steps.get(step)
  if (present !== undefined) return present
  const { prompts_per_step: count } = given.hyperparameters
  const groups = Array.from({ length: count }, (_, index) => groupOf(given, step, index))
  const created = { groups, rollouts: new Map(), polls: 1, resampled: 0, trainedBy: null }
  run.steps.set(step, created)
  return created
}

function groupOf({ run, hyperparameters }: GivenGrpoSpec, step: number, group: number): Group {
  const index = ((step - 1) * hyperparameters.prompts_per_step + group) % run.prompts.length
  return { group, prompt_index: index, messages: run.prompts[index] ?? [], samples: hyperparameters.group_size }
}

function lookOf(run: GrpoRun, given: GivenGrpoSpec, step: number): Sampling {
  const present = run.looks.get(step)
  if (present !== undefined) return present
  const groups = given.run.look_prompts.map((messages, group) => {
    return { group, prompt_index: group, messages, samples: lookSamples }
  })
  const created = { groups, rollouts: new Map() }
  run.looks.set(step, created)
  return created
}

const placeOf = ({ group, index }: Pick<GrpoRollout, 'group' | 'index'>) => `${group}/${index}`

function missingOf({ groups, rollouts }: Sampling): readonly string[] {
  const places = groups.flatMap(({ group, samples }) =>
    Array.from({ length: samples }, (_, index) => placeOf({ group, index })),
  )
  return places.filter((place) => !rollouts.has(place))
}

function store(run: GrpoRun, found: Sampling, { label, body }: { label: string; body: unknown }) {
  for (const rollout of (body as AnyBody).rollouts as readonly GrpoRollout[]) {
    const place = placeOf(rollout)
    const key = `${label} ${place}`
    run.sent[key] = (run.sent[key] ?? 0) + 1
    if (!found.rollouts.has(place)) found.rollouts.set(place, rollout)
  }
  return { stored: found.rollouts.size, missing: missingOf(found).length }
}

/** An answer is judged once: what was rewarded before is read again. */
function rewardsOf(run: GrpoRun, given: GivenGrpoSpec, { step, found }: { step: number; found: GrpoStep }) {
  const rewards = [...found.rollouts.values()].map((rollout) => {
    const key = `step ${step} ${placeOf(rollout)}`
    run.verdicts[key] ??= 1
    return { group: rollout.group, index: rollout.index, reward: rewardOf(rollout, given.run.reward) }
  })
  const byGroup = Map.groupBy(rewards, ({ group }) => group)
  return rewards.map((reward): GrpoReward => {
    const values = (byGroup.get(reward.group) ?? []).map((each) => each.reward)
    const mean = values.reduce((sum, each) => sum + each, 0) / values.length
    const variance = values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(1, values.length - 1)
    const advantage = (reward.reward - mean) / (Math.sqrt(variance) + 1e-4)
    return { ...reward, advantage, used: variance > 0 }
  })
}

function isFlat(rewards: readonly GrpoReward[]): boolean {
  return rewards.every(({ used }) => !used)
}

function rewardOf({ completion }: Pick<GrpoRollout, 'completion'>, reward: GivenRun['reward']): number {
  const content = completion.at(-1)?.content
  const text = typeof content === 'string' ? content : ''
  const isShort = reward.max_words === undefined || text.trim().split(/\s+/).length <= reward.max_words
  const hasEnd = reward.ends_with === undefined || text.endsWith(reward.ends_with)
  return isShort && hasEnd ? 1 : 0
}
