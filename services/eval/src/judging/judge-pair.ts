import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import { renderReply } from '@ratchet/judge-kit/prompt/render-exchange'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import type { FleetCallError } from '@ratchet/service-kit/fleet-client'
import { callerOf } from '../runs/caller.ts'
import type { AskableSample } from '../samples/answer-sample.ts'
import type { KeptLook, LookFailure } from '../samples/sample.ts'
import type { CompareAnswers, LookResult } from './compare-answers.ts'

export interface Pair {
  readonly candidateIndex: number
  /** Whether the candidate is shown first. */
  readonly isSwapped: boolean
  readonly baseline: ExchangeMessage
  readonly candidate: ExchangeMessage
}

/** What a look at a pair came to. */
export type LookOutcome =
  | { readonly kind: 'over'; readonly look: KeptLook }
  | {
      readonly kind: 'refused'
      readonly refusal: FleetCallError
      /** Of what was answered before, without a verdict, nano-dollars. */
      readonly costNano: bigint
    }

export type LookAtPair = (sample: AskableSample, pair: Pair) => Promise<LookOutcome>

/** Has the judge of an eval look at a pair. Answers that read the same are a tie that nobody has to be asked about. */
export function createLookAtPair(compareAnswers: CompareAnswers): LookAtPair {
  return async (sample, pair) => {
    const { candidateIndex, isSwapped, baseline, candidate } = pair
    const place = { candidateIndex, isSwapped }
    if (renderReply(baseline) === renderReply(candidate)) {
      const explanation = 'The answers are the same.'
      return { kind: 'over', look: { ...place, preference: 'tie', failure: null, explanation, costNano: 0n } }
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
    return outcomeOf(place, result)
  }
}

function outcomeOf(place: Pick<Pair, 'candidateIndex' | 'isSwapped'>, { finding, replies }: LookResult): LookOutcome {
  const costNano = replies.reduce((sum, reply) => sum + reply.costNano, 0n)
  const failed = (failure: LookFailure, explanation: string): LookOutcome => ({
    kind: 'over',
    look: { ...place, preference: null, failure, explanation, costNano },
  })
  switch (finding.kind) {
    case 'preference': {
      const { preference, explanation } = finding
      return { kind: 'over', look: { ...place, preference, failure: null, explanation, costNano } }
    }
    case 'unparseable':
      return failed('unparseable', 'The judge was asked twice and named no winner.')
    case 'too_large':
      return failed('too_large', 'The answers are larger than what is shown to a judge.')
    case 'refused':
      return { kind: 'refused', refusal: finding.refusal, costNano }
  }
}
