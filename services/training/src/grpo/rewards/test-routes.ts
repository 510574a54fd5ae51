import { testGrpoReward } from '@ratchet/contracts/grpo'
import type { TestGrpoReward } from '@ratchet/contracts/grpo-body'
import type { Identity } from '@ratchet/contracts/identity'
import { nanoToUsd } from '@ratchet/contracts/money'
import { checkAnswer, type FitsSchema } from '@ratchet/judge-kit/checks/check-answer'
import { costOfReplies } from '@ratchet/judge-kit/fleet/call-judge'
import type { JudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import { payingIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { readIdempotencyKey } from '@ratchet/service-kit/http/idempotency-key'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { inTurns } from '@ratchet/service-kit/timing/in-turns'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { Router } from 'express'
import { bodyReader } from '../../bodies/body-routes.ts'
import { readTestBody, type SchemaProblem } from '../runs/read-body.ts'
import type { RunReward } from '../runs/run-settings.ts'
import { composeReward, effectiveWeights } from './compose-reward.ts'
import { deviationOf, hasNoVariance, mean } from './group-advantages.ts'
import { type FoundJudge, type JudgeDirectory, requireJudge } from './judge-directory.ts'
import { refusalOfJudge } from './judge-refusal.ts'
import { rewardOf } from './reward-of.ts'

export interface RewardTestDeps {
  readonly judges: JudgeDirectory
  readonly judgeExchange: JudgeExchange
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

interface Tested {
  readonly identity: Identity
  readonly request: TestGrpoReward
  readonly testId: string
}

async function testReward(deps: RewardTestDeps, tested: Tested) {
  const { identity, request } = tested
  const found: FoundJudge[] = []
  for (const [index, { criterionId }] of request.reward.criteria.entries()) {
    const param = `reward.criteria.${index}.criterionId`
    found.push(await requireJudge(deps.judges, { identity, id: criterionId, param }))
  }
  const reward = rewardOf(request.reward, found)
  const weights = effectiveWeights(
    reward,
    found.map((judge) => ({ ...judge, role: 'reward' as const })),
  )
  let costNano = 0n
  const samples: { reward: ReturnType<typeof composeReward>; terms: Awaited<ReturnType<typeof termsOf>>['terms'] }[] =
    []
  await inTurns(request.samples, concurrency, async (_, index) => {
    const { terms, costNano: cost } = await termsOf(deps, { tested, index, reward, found })
    costNano += cost
    samples[index] = { reward: composeReward(reward, weights, new Map(Object.entries(terms))), terms }
    return null
  })
  return { object: 'grpo.reward_test' as const, samples, ...groupsOf(request, samples), cost_usd: nanoToUsd(costNano) }
}

interface Sampled {
  readonly tested: Tested
  readonly index: number
  readonly reward: RunReward
  readonly found: readonly FoundJudge[]
}

async function termsOf(deps: RewardTestDeps, { tested, index, reward, found }: Sampled) {
  const sample = tested.request.samples[index]
  if (sample === undefined) throw new Error('no such sample')
  const { messages, completion, reference = null } = sample
  const terms: Record<string, number | null> = {}
  let costNano = 0n
  for (const [place, judge] of found.entries()) {
    const judged = await verdictOf(deps, { tested, index, judge, messages, completion })
    costNano += judged.costNano
    terms[reward.criteria[place]?.name ?? ''] = judged.value
  }
  for (const { name, check } of reward.functions) {
    terms[name] = checkAnswer(check, { completion, reference }, deps.fitsSchema) ? 1 : 0
  }
  return { terms, costNano }
}

interface Judged extends Pick<TestGrpoReward['samples'][number], 'messages' | 'completion'> {
  readonly tested: Tested
  readonly index: number
  readonly judge: FoundJudge
}

async function verdictOf({ judgeExchange }: RewardTestDeps, { tested, index, judge, messages, completion }: Judged) {
  const { workspaceId, userId } = tested.identity
  const { criterionId, instrument, judgeModel, prompt } = judge
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
    exchange: {
      messages: [...messages, ...completion.slice(0, -1)],
      response: completion.at(-1) ?? { role: 'assistant' },
      tools: null,
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
function groupsOf({ samples }: TestGrpoReward, rewarded: readonly { readonly reward: number }[]) {
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

/** Samples that are judged at the same time. */
const concurrency = 8
