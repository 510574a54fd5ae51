import { publicId } from '@ratchet/contracts/public-id'
import { masterKeys } from '@ratchet/judge-kit/checks/master-keys'
import { costOfReplies } from '@ratchet/judge-kit/fleet/call-judge'
import type { ModelReply } from '@ratchet/judge-kit/fleet/call-model'
import type { JudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { mapInTurns } from '@ratchet/service-kit/timing/in-turns'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { judgingIdentity } from '../judging/judging-identity.ts'
import type { NewRun } from '../runs/run.ts'
import type { FrozenJudge } from '../runs/run-settings.ts'
import { refusalOfJudge } from './judge-refusal.ts'

/** Answers that are judged at the same time. */
const concurrency = 8

export interface MasterKeyDeps {
  readonly judgeExchange: JudgeExchange
}

type Checked = Pick<NewRun, 'workspaceId' | 'createdBy' | 'createdAt' | 'id' | 'judges' | 'judgingCapNano' | 'parts'>

/**
 * Asks every judge of the reward about answers that say nothing.
 *
 * @returns what it cost, nano-dollars
 * @throws ServiceError `criterion_not_trustworthy` when one passes any of them
 */
export async function requireNoMasterKey({ judgeExchange }: MasterKeyDeps, run: Checked): Promise<bigint> {
  const [prompt] = run.parts.guard
  const questions = run.judges
    .filter(({ role }) => role === 'reward')
    .flatMap((judge) => masterKeys.map((answer) => ({ judge, answer })))
  const costs = await mapInTurns(questions, concurrency, async ({ judge, answer }) => {
    const { passed, costNano } = await ask(judgeExchange, { run, judge, answer, messages: prompt?.messages ?? [] })
    if (passed) throw fooled(judge, answer)
    return costNano
  })
  return costs.reduce((sum, cost) => sum + cost, 0n)
}

interface Asked {
  readonly run: Checked
  readonly judge: FrozenJudge
  readonly answer: string
  readonly messages: NewRun['parts']['guard'][number]['messages']
}

async function ask(judgeExchange: JudgeExchange, { run, judge, answer, messages }: Asked) {
  const { criterionId, instrument, judgeModel, prompt, checks = null } = judge
  const judgementId = deterministicId(
    'grpo-master-key',
    criterionId,
    String(instrument),
    JSON.stringify(messages),
    answer,
  )
  const { finding, replies } = await judgeExchange({
    judgementId,
    criterion: prompt,
    checks,
    exchange: { messages, response: { role: 'assistant', content: answer }, tools: null, model: null },
    unit: 'request',
    judgeModel,
    identity: judgingIdentity(run),
    keyOf: (body) => deterministicId('grpo-call', judgementId, body),
  })
  if (finding.kind === 'refused') throw refusalOfJudge(finding.refusal)
  const passed = finding.kind === 'chosen' && finding.choice === 'pass'
  return { passed, costNano: newCostOf(replies) }
}

/** Of another run with the same judges and prompts the answers may be known: they were paid then. */
function newCostOf(replies: readonly ModelReply[]): bigint {
  return costOfReplies(replies.filter(({ isReplay }) => !isReplay))
}

function fooled({ criterionId, trust }: FrozenJudge, answer: string): ServiceError {
  const message = `This judge passes the answer ${JSON.stringify(answer)}, which says nothing. A policy would learn to say just that. Improve its prompt or its model.`
  return new ServiceError('criterion_not_trustworthy', message, {
    details: {
      criterion_id: publicId('criterion', criterionId),
      trust,
      fail_grades_needed: null,
      pass_grades_needed: null,
      passed_answer: answer,
    },
  })
}
