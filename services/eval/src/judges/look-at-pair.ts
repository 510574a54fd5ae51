import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import { keepableText } from '@ratchet/judge-kit/prompt/keepable-text'
import { renderReply } from '@ratchet/judge-kit/prompt/render-exchange'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import type { AskableSample } from '../answers/answer-sample.ts'
import { callerOf } from '../domain/caller.ts'
import { fateOfRefusal } from '../domain/fate-of-refusal.ts'
import type { KeptLook } from '../domain/sample.ts'
import type { CompareAnswers, LookResult } from './compare-answers.ts'

export interface Pair {
  readonly candidateIndex: number
  /** Whether the candidate is shown first. */
  readonly isSwapped: boolean
  readonly baseline: ExchangeMessage
  readonly candidate: ExchangeMessage
}

/** @throws FleetCallError when the judge cannot be asked now */
export type LookAtPair = (sample: AskableSample, pair: Pair) => Promise<KeptLook>

/** Has the judge of an eval look at a pair. Answers that read the same are a tie that nobody has to be asked about. */
export function createLookAtPair(compareAnswers: CompareAnswers): LookAtPair {
  return async (sample, pair) => {
    const { candidateIndex, isSwapped, baseline, candidate } = pair
    const place = { candidateIndex, isSwapped }
    if (renderReply(baseline) === renderReply(candidate)) {
      return { ...place, preference: 'tie', failure: null, explanation: 'The answers are the same.', costNano: 0n }
    }
    const { run } = sample
    const id = deterministicId('eval-look', sample.id, String(candidateIndex), String(isSwapped))
    const result = await compareAnswers({
      id,
      identity: callerOf(run, 'judge'),
      judgeModel: run.judge.model,
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
    return { ...place, ...lookOf(result) }
  }
}

function lookOf({ finding, replies }: LookResult): Omit<KeptLook, 'candidateIndex' | 'isSwapped'> {
  const costNano = replies.reduce((sum, reply) => sum + reply.costNano, 0n)
  switch (finding.kind) {
    case 'preference':
      return { preference: finding.preference, failure: null, explanation: finding.explanation, costNano }
    case 'unparseable':
      return failed('unparseable', 'The judge was asked twice and named no winner.', costNano)
    case 'too_large':
      return failed('too_large', 'The answers are larger than what is shown to a judge.', costNano)
    case 'refused': {
      const fate = fateOfRefusal(finding.refusal)
      if (fate.kind !== 'refused' && fate.kind !== 'too_large') throw finding.refusal
      return failed(fate.kind, keepableText(finding.refusal.message, 1_000), costNano)
    }
  }
}

function failed(failure: NonNullable<KeptLook['failure']>, explanation: string, costNano: bigint) {
  return { preference: null, failure, explanation, costNano }
}
