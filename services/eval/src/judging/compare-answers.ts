import type { CriterionCheck } from '@ratchet/contracts/criterion-checks'
import { type CheckedItem, type ChecksDeps, runChecks } from '@ratchet/judge-kit/checks/run-checks'
import {
  type CallJudgeDeps,
  createCallJudge,
  type JudgeCall,
  type JudgeCallResult,
} from '@ratchet/judge-kit/fleet/call-judge'
import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import type { ChoiceFormat } from '@ratchet/judge-kit/prompt/judge-choice'
import { buildComparePrompt, type ComparePromptRequest } from './build-compare-prompt.ts'
import type { Preference } from './pair-verdict.ts'

/** A comparison of two answers in one order. A retry has the same `id`. */
export interface Comparison
  extends ComparePromptRequest,
    Pick<JudgeCall<Preference>, 'identity' | 'judgeModel' | 'keyOf'> {
  /** What judges in place of a model; null for a model. */
  readonly checks: readonly CriterionCheck[] | null
}

/**
 * @throws FleetCallError when the model catalog cannot be read now
 * @throws ServiceError `service_unavailable` when too many scripts wait
 */
export type CompareAnswers = (comparison: Comparison) => Promise<JudgeCallResult<Preference>>

/**
 * Compares answers with a judge model, through inference, or by checks. A judge that names no winner is called once more. By checks
 * the answer that passes is better.
 */
export function createCompareAnswers(deps: CallJudgeDeps & ChecksDeps): CompareAnswers {
  const callJudge = createCallJudge(deps)
  return ({ identity, judgeModel, keyOf, checks, ...comparison }) => {
    if (checks !== null) return compareByChecks(deps, { ...comparison, checks, workspaceId: identity.workspaceId })
    return callJudge({ identity, judgeModel, keyOf, prompt: buildComparePrompt(comparison), format: preferenceFormat })
  }
}

interface ComparedByChecks
  extends Pick<Comparison, 'prompt' | 'first' | 'second'>,
    Pick<CheckedItem, 'checks' | 'workspaceId'> {}

async function compareByChecks(
  deps: ChecksDeps,
  { prompt, first, second, checks, workspaceId }: ComparedByChecks,
): Promise<JudgeCallResult<Preference>> {
  const check = (response: ExchangeMessage) =>
    runChecks({ checks, exchange: { ...prompt, response, model: null }, unit: 'request', workspaceId }, deps)
  const [one, other] = [await check(first), await check(second)]
  const explanation = `First: ${one.explanation} Second: ${other.explanation}`
  if (one.kind === 'failed' || other.kind === 'failed')
    return { finding: { kind: 'unparseable', explanation }, replies: [] }
  const choice = one.verdict === other.verdict ? 'tie' : one.verdict === 'pass' ? 'first' : 'second'
  return { finding: { kind: 'chosen', choice, explanation }, replies: [] }
}

/** The last line of a judge's instructions asks for this format. */
export const preferenceFormat: ChoiceFormat<Preference> = {
  name: 'preference',
  field: 'winner',
  words: new Map([
    ['first', 'first'],
    ['second', 'second'],
    ['tie', 'tie'],
  ]),
}
