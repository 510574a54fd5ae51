import type { Verdict } from '@ratchet/contracts/criteria'
import { buildJudgePrompt, type JudgePromptRequest } from '../prompt/build-judge-prompt.ts'
import type { ChoiceFormat } from '../prompt/judge-choice.ts'
import { type CallJudgeDeps, createCallJudge, type JudgeCall, type JudgeCallResult } from './call-judge.ts'

/** An exchange to judge. A retry has the same `judgementId`. */
export interface ExchangeToJudge
  extends JudgePromptRequest,
    Pick<JudgeCall<Verdict>, 'identity' | 'judgeModel' | 'keyOf'> {}

/** @throws FleetCallError when the model catalog cannot be read now */
export type JudgeExchange = (item: ExchangeToJudge) => Promise<JudgeCallResult<Verdict>>

/** Judges exchanges with a judge model, through inference. After a reply without a verdict the judge is called once more. */
export function createJudgeExchange(deps: CallJudgeDeps): JudgeExchange {
  const callJudge = createCallJudge(deps)
  return ({ identity, judgeModel, keyOf, ...item }) =>
    callJudge({ identity, judgeModel, keyOf, prompt: buildJudgePrompt(item), format: verdictFormat })
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
