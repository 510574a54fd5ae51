import { costOfReplies, type JudgeCallResult } from '@ratchet/judge-kit/fleet/call-judge'
import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import { renderReplyText } from '@ratchet/judge-kit/prompt/render-exchange'
import type { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { callerOf } from '../runs/caller.ts'
import { judgeModelsOf } from '../runs/eval-run.ts'
import type { SampleWithPrompt } from '../samples/sample.ts'
import type { CompareAnswers } from './compare-answers.ts'
import type { PairVerdict, Preference, VerdictFailure } from './pair-verdict.ts'

/** A baseline answer and a candidate answer, in one order. */
export interface AnswerPair {
  /** Place in the panel. */
  readonly judgeIndex: number
  readonly candidateIndex: number
  /** Whether the candidate is shown first. */
  readonly isSwapped: boolean
  readonly baseline: ExchangeMessage
  readonly candidate: ExchangeMessage
}

export type JudgePairOutcome =
  | { readonly kind: 'finished'; readonly verdict: PairVerdict }
  | {
      readonly kind: 'refused'
      readonly refusal: FleetCallError
      /** Cost of earlier answers without a readable verdict, nano-dollars. */
      readonly costNano: bigint
    }

/** Gets the judge's verdict on a pair. Answers that read the same are a tie without a call. */
export type JudgePair = (sample: SampleWithPrompt, pair: AnswerPair) => Promise<JudgePairOutcome>

export function createJudgePair(compareAnswers: CompareAnswers): JudgePair {
  return async (sample, pair) => {
    const { judgeIndex, candidateIndex, isSwapped, baseline, candidate } = pair
    const order = { ...(judgeIndex === 0 ? {} : { judgeIndex }), candidateIndex, isSwapped }
    if (renderReplyText(baseline) === renderReplyText(candidate)) {
      const explanation = 'The answers are the same.'
      return { kind: 'finished', verdict: { ...order, preference: 'tie', failure: null, explanation, costNano: 0n } }
    }
    const { run } = sample
    const ofPanel = judgeIndex === 0 ? [] : [String(judgeIndex)]
    const id = deterministicId('eval-look', sample.id, String(candidateIndex), String(isSwapped), ...ofPanel)
    const result = await compareAnswers({
      id,
      identity: callerOf(run, 'judge'),
      checks: run.judge.checks ?? null,
      judgeModel: judgeModelsOf(run.judge)[judgeIndex] ?? run.judge.model,
      mode: run.request.judging_mode,
      rubricType: run.request.rubric_type,
      rubric: run.judge.rubric,
      isCriterion: run.judge.criterionId !== null,
      prompt: sample.prompt,
      first: isSwapped ? candidate : baseline,
      second: isSwapped ? baseline : candidate,
      reference: sample.reference,
      keyOf: (body) => deterministicId('eval-judgement', id, body),
    })
    return outcomeOf(order, result)
  }
}

function outcomeOf(
  order: Pick<PairVerdict, 'judgeIndex' | 'candidateIndex' | 'isSwapped'>,
  { finding, replies }: JudgeCallResult<Preference>,
): JudgePairOutcome {
  const costNano = costOfReplies(replies)
  const failed = (failure: VerdictFailure, explanation: string): JudgePairOutcome => ({
    kind: 'finished',
    verdict: { ...order, preference: null, failure, explanation, costNano },
  })
  switch (finding.kind) {
    case 'chosen': {
      const { choice: preference, explanation } = finding
      return { kind: 'finished', verdict: { ...order, preference, failure: null, explanation, costNano } }
    }
    case 'unparseable':
      return failed('unparseable', finding.explanation ?? 'The judge was called twice and named no winner.')
    case 'too_large':
      return failed('too_large', 'The conversation and the answers are too large for a judge.')
    case 'refused':
      return { kind: 'refused', refusal: finding.refusal, costNano }
  }
}
