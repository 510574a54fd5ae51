import type { Verdict } from '@ratchet/contracts/criteria'
import type { CriterionCheck } from '@ratchet/contracts/criterion-checks'
import { type CheckedItem, type ChecksDeps, runChecks } from '../checks/run-checks.ts'
import { buildJudgePrompt, type JudgePromptRequest } from '../prompt/build-judge-prompt.ts'
import type { ChoiceFormat } from '../prompt/judge-choice.ts'
import { type CallJudgeDeps, createCallJudge, type JudgeCall, type JudgeCallResult } from './call-judge.ts'

/** An exchange to judge. A retry has the same `judgementId`. */
export interface ExchangeToJudge
  extends JudgePromptRequest,
    Pick<JudgeCall<Verdict>, 'identity' | 'judgeModel' | 'keyOf'> {
  /** What judges in place of a model; null for a model. */
  readonly checks: readonly CriterionCheck[] | null
}

/**
 * @throws FleetCallError when the model catalog cannot be read now
 * @throws ServiceError `service_unavailable` when too many scripts wait
 */
export type JudgeExchange = (item: ExchangeToJudge) => Promise<JudgeCallResult<Verdict>>

export type JudgeExchangeDeps = CallJudgeDeps & ChecksDeps

/**
 * Judges exchanges with a judge model, through inference, or with checks. After a reply without a verdict the judge is called once
 * more.
 */
export function createJudgeExchange(deps: JudgeExchangeDeps): JudgeExchange {
  const callJudge = createCallJudge(deps)
  return ({ identity, judgeModel, keyOf, checks, ...item }) => {
    if (checks !== null) return judgeByChecks({ ...item, checks, workspaceId: identity.workspaceId }, deps)
    return callJudge({ identity, judgeModel, keyOf, prompt: buildJudgePrompt(item), format: verdictFormat })
  }
}

async function judgeByChecks(item: CheckedItem, deps: ChecksDeps): Promise<JudgeCallResult<Verdict>> {
  const result = await runChecks(item, deps)
  const { explanation } = result
  if (result.kind === 'failed') return { finding: { kind: 'unparseable', explanation }, replies: [] }
  return { finding: { kind: 'chosen', choice: result.verdict, explanation }, replies: [] }
}

/** The format that the last line of a judge's instructions requires. */
export const verdictFormat: ChoiceFormat<Verdict> = {
  name: 'verdict',
  field: 'verdict',
  words: new Map([
    ['PASS', 'pass'],
    ['FAIL', 'fail'],
  ]),
}
