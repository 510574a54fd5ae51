import { costOfReplies } from '@ratchet/judge-kit/fleet/call-judge'
import { callModel } from '@ratchet/judge-kit/fleet/call-model'
import type { JudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import { outcomeOfRefusal } from '@ratchet/judge-kit/fleet/outcome-of-refusal'
import { payingIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { inTurns } from '@ratchet/service-kit/timing/in-turns'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { FrozenJudge } from '../grpo/runs/run-settings.ts'
import { storableJson } from '../grpo/steps/storable-json.ts'
import type { OpenSample, RoundKey, RoundWork, StoredVerdicts } from './round.ts'

/** What answers are asked for, and by whom: a round, or a dataset of a teacher's answers. */
export interface AskOrder extends RoundKey {
  readonly judges: readonly FrozenJudge[]
  readonly maxCostNano: bigint
  /** Who pays. */
  readonly createdBy: string
  readonly createdAt: Date
  readonly settings: {
    readonly seed: number
    readonly request: { readonly temperature: number; readonly topP: number; readonly maxOutputTokens: number }
  }
}

export interface AskDeps {
  /** What the calls are for. */
  readonly purpose: 'raft' | 'distill'
  readonly work: Pick<RoundWork, 'open' | 'answer' | 'judge' | 'costs'>
  readonly inference: Pick<FleetClient, 'send'>
  readonly judgeExchange: JudgeExchange
}

/** `more`: there may be further ones. `later`: nothing can be asked for now. */
export type Asked =
  | { readonly kind: 'more' | 'over_cap' | 'no_credit' }
  | { readonly kind: 'later'; readonly delayMs: number; readonly hasFailed: boolean }

/** Samples of one turn, after which the lease is looked at again, and calls at the same time. */
const samplesPerTurn = 128
const concurrency = 8

/** Asks for answers that are missing. Each is kept when it arrives, under a key that makes a repetition cost nothing. */
export async function askForAnswers(deps: AskDeps, round: AskOrder, modelOf: ModelOf): Promise<Asked> {
  const identity = payerOf(deps, round, await deps.work.costs(round))
  const samples = await deps.work.open(round, 'asked', samplesPerTurn)
  const ended = await inTurns<OpenSample, Asked>(samples, concurrency, async (sample) => {
    const { request, seed } = round.settings
    const { messages, tools } = sample.prompt
    const model = modelOf(sample)
    const body = JSON.stringify({
      model,
      messages,
      ...(tools === null ? {} : { tools }),
      temperature: request.temperature,
      top_p: request.topP,
      max_tokens: request.maxOutputTokens,
      seed: (seed + sample.sampleIndex) % 2_147_483_647,
    })
    const key = keyOf(deps, round, sample, ['answer', model])
    const reply = await callModel(deps.inference, { identity, body, key }).catch(asRefusal)
    if (reply instanceof FleetCallError) {
      const outcome = outcomeOf(reply)
      if (outcome !== null) return outcome
      await deps.work.answer(round, sample, { completion: null, costNano: 0n })
      return null
    }
    // An answer that was cut off teaches to stop in the middle.
    const isWhole = reply.finishReason === 'stop' || reply.finishReason === 'tool_calls'
    const completion = isWhole && reply.message !== null ? storable(reply.message) : null
    await deps.work.answer(round, sample, { completion, costNano: reply.costNano })
    return null
  })
  return ended ?? { kind: 'more' }
}

/** The model that a sample is asked of. */
export type ModelOf = (sample: Pick<OpenSample, 'part'>) => string

/** Has the judges decide about answers. The second one is asked about what the first one passed. */
export async function askJudges(deps: AskDeps, round: AskOrder): Promise<Asked> {
  const identity = payerOf(deps, round, await deps.work.costs(round))
  const samples = await deps.work.open(round, 'answered', samplesPerTurn)
  const ended = await inTurns<OpenSample, Asked>(samples, concurrency, async (sample) => {
    const verdicts: StoredVerdicts['verdict'][] = []
    let costNano = 0n
    for (const judge of round.judges) {
      const { finding, replies } = await ask(deps, { round, sample, judge, identity })
      costNano += costOfReplies(replies)
      if (finding.kind === 'refused') {
        const outcome = outcomeOf(finding.refusal)
        // What was paid is found again under the same keys.
        if (outcome !== null) return outcome
      }
      verdicts.push(finding.kind === 'chosen' ? finding.choice : null)
      if (verdicts.at(-1) !== 'pass') break
    }
    const [verdict = null, secondVerdict = null] = verdicts
    await deps.work.judge(round, sample, { verdict, secondVerdict, costNano })
    return null
  })
  return ended ?? { kind: 'more' }
}

interface Question {
  readonly round: AskOrder
  readonly sample: OpenSample
  readonly judge: FrozenJudge
  readonly identity: ReturnType<typeof payerOf>
}

function ask(deps: AskDeps, { round, sample, judge, identity }: Question) {
  const { messages, tools } = sample.prompt
  const response = { role: 'assistant', ...sample.completion } as ExchangeMessage
  return deps.judgeExchange({
    identity,
    judgeModel: judge.judgeModel,
    judgementId: keyOf(deps, round, sample, ['judgement', judge.criterionId]),
    criterion: judge.prompt,
    checks: judge.checks ?? null,
    exchange: { messages, response, tools, model: null },
    unit: 'request',
    keyOf: (body) => keyOf(deps, round, sample, ['verdict', judge.criterionId, String(judge.instrument), body]),
  })
}

/** The same for the same question, in every process. */
function keyOf(
  { purpose }: Pick<AskDeps, 'purpose'>,
  { id }: AskOrder,
  { part, promptIndex, sampleIndex }: OpenSample,
  of: readonly string[],
): string {
  return deterministicId(purpose, id, part, String(promptIndex), String(sampleIndex), ...of)
}

/** What is left of the maximum cost limits all calls of the round together. */
function payerOf({ purpose }: Pick<AskDeps, 'purpose'>, round: AskOrder, { jobNano }: { readonly jobNano: bigint }) {
  const { id, workspaceId, createdBy: userId, maxCostNano, createdAt: windowStart } = round
  const capNano = maxCostNano > jobNano ? maxCostNano - jobNano : 1n
  return payingIdentity({ workspaceId, userId, purpose, spendCap: { id, capNano, windowStart } })
}

/** Null: this sample never will be answered. */
function outcomeOf(refusal: FleetCallError): Asked | null {
  const outcome = outcomeOfRefusal(refusal)
  switch (outcome.kind) {
    case 'over_cap':
      return { kind: 'over_cap' }
    case 'wait':
      return refusal.code === 'insufficient_balance'
        ? { kind: 'no_credit' }
        : { kind: 'later', delayMs: outcome.delayMs, hasFailed: false }
    case 'unavailable':
    case 'retry':
      return { kind: 'later', delayMs: retryMs, hasFailed: true }
    case 'refused':
    case 'too_large':
      return null
  }
}

const retryMs = 5_000

function asRefusal(error: unknown): FleetCallError {
  if (error instanceof FleetCallError) return error
  throw error
}

/** Without characters that Postgres cannot store. */
function storable(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return JSON.parse(storableJson(message))
}
