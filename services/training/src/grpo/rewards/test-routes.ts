import { setImmediate as nextTurn } from 'node:timers/promises'
import { testGrpoReward } from '@ratchet/contracts/grpo-reward-test'
import { nanoToUsd } from '@ratchet/contracts/money'
import { checkAnswer, type FitsSchema } from '@ratchet/judge-kit/checks/check-answer'
import { costOfReplies } from '@ratchet/judge-kit/fleet/call-judge'
import type { JudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import { payingIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { readIdempotencyKey } from '@ratchet/service-kit/http/idempotency-key'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { mapInTurns } from '@ratchet/service-kit/timing/in-turns'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { Router } from 'express'
import { bodyReader } from '../../bodies/body-routes.ts'
import type { ToolCalls } from '../../environment-tools/tool-calls.ts'
import { readTestBody, type SchemaProblem } from '../runs/read-body.ts'
import type { RunReward } from '../runs/run-settings.ts'
import { composeReward, effectiveWeights } from './compose-reward.ts'
import { deviationOf, hasNoVariance, mean } from './group-advantages.ts'
import { type FoundJudge, type JudgeDirectory, requireJudge } from './judge-directory.ts'
import { refusalOfJudge } from './judge-refusal.ts'
import { rewardOf } from './reward-of.ts'
import { type RewardSample, type SampleDeps, type Sampled, type SampleOrder, sampleAnswers } from './sample-answers.ts'

/** Samples that are rewarded at the same time. */
const concurrency = 8

export interface RewardTestDeps extends SampleDeps {
  readonly judges: JudgeDirectory
  readonly judgeExchange: JudgeExchange
  readonly toolCalls: Pick<ToolCalls, 'check' | 'tryGrade'>
  readonly fitsSchema: FitsSchema
  readonly schemaProblem: SchemaProblem
  readonly newId: () => string
}

export function rewardTestRoutes(router: Router, deps: RewardTestDeps): void {
  const reading = bodyReader(
    (sent) => readTestBody(sent, deps.schemaProblem),
    'Too many rewards are being tried at this moment. Retry.',
  )
  mountRaw(router, testGrpoReward, ({ identity, request: incoming }, response) =>
    reading(testGrpoReward, { identity, request: incoming, response }, async (request) => {
      // The calls of judges have keys that follow from it, and are charged once.
      const testId = deterministicId('grpo-test', identity.workspaceId, readIdempotencyKey(incoming) ?? deps.newId())
      response.json(testGrpoReward.reply.parse(await testReward(deps, { identity, request, testId })))
    }),
  )
}

async function testReward(deps: RewardTestDeps, tested: SampleOrder) {
  const { identity, request } = tested
  const found: FoundJudge[] = []
  for (const [index, { criterionId }] of request.reward.criteria.entries()) {
    const param = `reward.criteria.${index}.criterionId`
    found.push(await requireJudge(deps.judges, { identity, id: criterionId, param }))
  }
  const graders = request.reward.tools.map(({ environmentToolId: id }) => id)
  const toolNames = await deps.toolCalls.check(identity, graders, { use: 'reward', param: 'reward.tools' })
  const reward = rewardOf(request.reward, { judges: found, toolNames })
  const weights = effectiveWeights(
    reward,
    found.map((judge) => ({ ...judge, role: 'reward' as const })),
  )
  const { samples, costNano: samplingNano } = await samplesOf(deps, tested)
  let costNano = samplingNano
  const rewarded = await mapInTurns(samples, concurrency, async (sample, index) => {
    const judged = await termsOf(deps, { tested, sample, index, reward, found })
    costNano += judged.costNano
    return { reward: composeReward(reward, weights, new Map(Object.entries(judged.terms))), terms: judged.terms }
  })
  return {
    object: 'grpo.reward_test' as const,
    samples:
      request.datasetId == null ? rewarded : rewarded.map((each, index) => ({ ...each, ...shown(samples[index]) })),
    ...groupsOf(samples, rewarded),
    cost_usd: nanoToUsd(costNano),
    sampling_cost_usd: nanoToUsd(samplingNano),
  }
}

/** Those of the body, or answers of a model. */
async function samplesOf(deps: RewardTestDeps, tested: SampleOrder): Promise<Sampled> {
  const { samples = null, datasetId = null } = tested.request
  if (datasetId !== null) return await sampleAnswers(deps, tested, datasetId)
  const given = (samples ?? []).map(({ reference = null, ...sample }) => {
    return { ...sample, reference, tools: null, truncated: false }
  })
  return { samples: given, costNano: 0n }
}

function shown(sample: RewardSample | undefined) {
  if (sample === undefined) return {}
  const { messages, completion, truncated } = sample
  return { messages: [...messages], completion: [...completion], truncated }
}

interface Rewarding {
  readonly tested: SampleOrder
  readonly sample: RewardSample
  readonly index: number
  readonly reward: RunReward
  readonly found: readonly FoundJudge[]
}

async function termsOf(deps: RewardTestDeps, { tested, sample, index, reward, found }: Rewarding) {
  const { messages, completion, reference } = sample
  const terms: Record<string, number | null> = {}
  let costNano = 0n
  for (const [place, judge] of found.entries()) {
    const judged = await verdictOf(deps, { tested, index, judge, sample })
    costNano += judged.costNano
    terms[reward.criteria[place]?.name ?? ''] = judged.value
  }
  for (const { name, check } of reward.functions) {
    // Each may take tenths of a second.
    await nextTurn()
    terms[name] = checkAnswer(check, { completion, reference }, deps.fitsSchema) ? 1 : 0
  }
  for (const { name, toolId } of reward.tools ?? []) {
    const callId = deterministicId('grpo-test-grade', tested.testId, String(index), toolId)
    const trial = { callId, toolId, arguments: { messages, completion, reference } }
    terms[name] = await deps.toolCalls.tryGrade(tested.identity, trial)
  }
  return { terms, costNano }
}

interface Judged extends Pick<Rewarding, 'sample'> {
  readonly tested: SampleOrder
  readonly index: number
  readonly judge: FoundJudge
}

async function verdictOf({ judgeExchange }: RewardTestDeps, { tested, index, judge, sample }: Judged) {
  const { messages, completion, tools } = sample
  const { workspaceId, userId } = tested.identity
  const { criterionId, instrument, judgeModel, prompt, checks = null } = judge
  const judgementId = deterministicId(
    'grpo-test-judgement',
    tested.testId,
    String(index),
    criterionId,
    String(instrument),
  )
  const { finding, replies } = await judgeExchange({
    judgementId,
    criterion: prompt,
    checks,
    exchange: {
      messages: [...messages, ...completion.slice(0, -1)],
      response: completion.at(-1) ?? { role: 'assistant' },
      tools,
      model: null,
    },
    unit: 'request',
    judgeModel,
    identity: payingIdentity({ workspaceId, userId, purpose: 'grpo', spendCap: null }),
    keyOf: (body) => deterministicId('grpo-call', judgementId, body),
  })
  if (finding.kind === 'refused') throw refusalOfJudge(finding.refusal)
  const value = finding.kind === 'chosen' ? (finding.choice === 'pass' ? 1 : 0) : null
  return { value, costNano: costOfReplies(replies) }
}

/** Samples with equal prompts are one group. */
function groupsOf(samples: readonly RewardSample[], rewarded: readonly { readonly reward: number }[]) {
  const byPrompt = Map.groupBy(samples.keys(), (index) => JSON.stringify(samples[index]?.messages))
  const groups = [...byPrompt.values()].map((indexes) => {
    const rewards = indexes.map((index) => rewarded[index]?.reward ?? 0)
    const isGroup = rewards.length > 1
    return { samples: indexes, mean: mean(rewards), std: isGroup ? deviationOf(rewards) : null, rewards }
  })
  const real = groups.filter(({ rewards }) => rewards.length > 1)
  const flat = real.filter(({ rewards }) => hasNoVariance(rewards))
  return {
    groups: groups.map(({ rewards: _rewards, ...group }) => group),
    group_std: real.length === 0 ? null : mean(real.map(({ rewards }) => deviationOf(rewards))),
    zero_variance_share: real.length === 0 ? null : flat.length / real.length,
  }
}
