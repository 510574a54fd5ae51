import {
  type CallJudgeDeps,
  createCallJudge,
  type JudgeCall,
  type JudgeCallResult,
} from '@ratchet/judge-kit/fleet/call-judge'
import type { ChoiceFormat } from '@ratchet/judge-kit/prompt/judge-choice'
import { buildComparePrompt, type ComparePromptRequest } from './build-compare-prompt.ts'
import type { Preference } from './pair-verdict.ts'

/** A comparison of two answers in one order. A retry has the same `id`. */
export interface Comparison
  extends ComparePromptRequest,
    Pick<JudgeCall<Preference>, 'identity' | 'judgeModel' | 'keyOf'> {}

/** @throws FleetCallError when the model catalog cannot be read now */
export type CompareAnswers = (comparison: Comparison) => Promise<JudgeCallResult<Preference>>

/** Compares answers with a judge model, through inference. A judge that names no winner is called once more. */
export function createCompareAnswers(deps: CallJudgeDeps): CompareAnswers {
  const callJudge = createCallJudge(deps)
  return ({ identity, judgeModel, keyOf, ...comparison }) =>
    callJudge({ identity, judgeModel, keyOf, prompt: buildComparePrompt(comparison), format: preferenceFormat })
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
