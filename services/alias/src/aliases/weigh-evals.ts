import type { AliasSettings, GateState } from '@ratchet/contracts/aliases'
import { type EvidenceProblem, provenWinRate, type WeighedEvidence } from '@ratchet/contracts/eval-evidence'
import { uuidOf } from '@ratchet/contracts/public-id'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** A model that takes the place of the one that most requests are meant for. */
export interface Move {
  readonly from: string
  readonly to: string
}

/** Evidence that is read without calling another service. */
export interface KnownEvidence {
  readonly before: AliasSettings
  readonly after: AliasSettings
  /** State of the gate of the current split. */
  readonly gateState: GateState | null
  /** Whether its judge was trustworthy and could act at the last evaluation. */
  readonly gateMayAct: boolean
  /** Models that got all or most requests within `maxAgeMs`. */
  readonly servedModels: ReadonlySet<string>
  /** An owner takes the responsibility. */
  readonly isForced: boolean
}

/** Maximum `gate_rollback_threshold` of a gate that counts as evidence. A gate that tolerates any drop proves nothing. */
const maxMargin = 0.1
/** Minimum `gate_confidence` of such a gate. */
const minConfidence = 0.95

/** Whether what a gate with these settings proves is evidence. */
export function isStrict(settings: Pick<AliasSettings, 'gate_rollback_threshold' | 'gate_confidence'>): boolean {
  return settings.gate_rollback_threshold <= maxMargin && settings.gate_confidence >= minConfidence
}

/** The refusal of a gate that would promote by itself and is not strict. */
export function refusalOfGate(): ServiceError {
  const detail = `A gate that promotes by itself needs a gate_rollback_threshold of ${maxMargin} or less and a gate_confidence of ${minConfidence} or more.`
  return new ServiceError('precondition_failed', `${detail} A gate with gate_mode recommend may have others.`, {
    details: { missing: [{ requirement: 'strict_gate', detail }] },
  })
}

/** An eval that compared the current model with the new one. */
export interface ComparingEval {
  readonly evalId: string
  readonly savingsPct: number | null
  /** Lower bound of the savings, percent. */
  readonly savingsLow: number | null
  /** The criterion that judged, as in the API; null without one. */
  readonly criterionId: string | null
  /** Null from a process of an older release, whose evals cannot be weighed. */
  readonly evidence: WeighedEvidence | null
  /** Whether its judge does not exist any more, or was found to judge otherwise since. */
  readonly hasJudgeDrifted: boolean
  /** Prompts that the new model was trained on, which is a model version; null when that is not known. */
  readonly trainedPrompts: number | null
  /** False when a judge decided that rewarded the training of the new model, or one of its family. */
  readonly isIndependent: boolean
}

const minWinRateWhenCheaper = 0.45

/** Whether people who compared the answers blind prove that the new model may take the place of the current one. */
export function isProvenByPeople(found: ComparingEval, after: AliasSettings): boolean {
  const people = found.evidence?.people ?? null
  return people !== null && found.trainedPrompts === 0 && reaches(people, barOf(found, after))
}

/** Whether the judge of the eval proves it, as far as it has not drifted. */
export function isProvenByJudge(found: ComparingEval, after: AliasSettings): boolean {
  const { evidence, hasJudgeDrifted, trainedPrompts } = found
  return evidence !== null && !hasJudgeDrifted && trainedPrompts === 0 && reaches(evidence, barOf(found, after))
}

interface Bound {
  readonly problems: readonly string[]
  readonly win_rate_low: number | null
}

function reaches({ problems, win_rate_low: low }: Bound, bar: number): boolean {
  return problems.length === 0 && low !== null && low >= bar
}

/** A model that is proven to be cheaper may win a little less, if the gate has the criterion of the eval to watch it. */
function barOf({ savingsLow, criterionId }: ComparingEval, after: AliasSettings): number {
  const isCheaper = savingsLow !== null && savingsLow > 0
  return isCheaper && isWatchedBy(criterionId, after) ? minWinRateWhenCheaper : provenWinRate
}

function isWatchedBy(criterionId: string | null, { gate_criterion_id: gateId }: AliasSettings): boolean {
  return criterionId !== null && gateId !== null && uuidOf('criterion', criterionId) === uuidOf('criterion', gateId)
}

/** Whether an eval would be a proof if earlier evals had not used its prompts. */
function isExhausted(found: ComparingEval, after: AliasSettings): boolean {
  const { evidence, hasJudgeDrifted, trainedPrompts } = found
  if (
    hasJudgeDrifted ||
    trainedPrompts !== 0 ||
    evidence === null ||
    evidence.problems.length > 0 ||
    evidence.win_rate_low_if_fresh === null
  )
    return false
  return evidence.prompt_uses > 0 && evidence.win_rate_low_if_fresh >= barOf(found, after)
}

/** The refusal of a change: `evidence_exhausted` when only fresh prompts are missing, else `precondition_failed`. */
export function refusal(move: Move, known: KnownEvidence, evals: readonly ComparingEval[]): ServiceError {
  const missing = missingEvidence(move, known, evals)
  const exhausted = evals.find((each) => isExhausted(each, known.after))?.evidence
  if (exhausted == null) {
    const message = `No evidence supports ${move.to} in place of ${move.from}; error.details.missing lists what would.`
    return new ServiceError('precondition_failed', message, { details: { missing } })
  }
  const uses = Number(exhausted.prompt_uses.toFixed(1))
  const needed = exhausted.prompts_needed ?? null
  const detail = `The prompts of the eval were used for ${uses} earlier comparisons on average, so that its result may be their chance. Run an eval on ${needed === null ? '' : `about ${needed} `}prompts that no eval has used.`
  return new ServiceError('evidence_exhausted', `The prompts no longer prove that ${move.to} is better. ${detail}`, {
    details: {
      missing: [{ requirement: 'fresh_prompts', detail }, ...missing],
      prompt_uses: exhausted.prompt_uses,
      prompts_needed: needed,
    },
  })
}

/** Each of these would be enough. */
function missingEvidence({ from, to }: Move, known: KnownEvidence, evals: readonly ComparingEval[]) {
  const canary =
    known.before.canary_model === to
      ? `its gate is ${known.gateState ?? 'not set'}`
      : `${to} is not the canary of this alias`
  return [
    {
      requirement: 'eval',
      detail: `A DONE eval of the last 30 days from ${from} to ${to}, with a criterion as its judge that could act when the eval was created, whose win rate has a lower bound of 0.5 or above after corrections for repeated evals, or of 0.45 if the interval of its savings is above 0 and its criterion is that of the gate; or one whose answers people compared blind, in the order of the draw, with such a bound: ${describeEvals(evals)}.`,
      evals: evals.map((each) => ({
        eval_id: each.evalId,
        problems: problemsOf(each),
        judge_cannot_act_reason: each.evidence?.judge_cannot_act_reason ?? null,
        win_rate_low: each.evidence?.win_rate_low ?? null,
        attempt: each.evidence?.attempt ?? null,
        people: each.evidence?.people ?? null,
      })),
    },
    {
      requirement: 'canary',
      detail: `A canary whose gate is promote_ready with a judge that may act, a threshold of ${maxMargin} or less and a confidence of ${minConfidence} or more: ${canary}.`,
    },
    { requirement: 'served_before', detail: `The alias served ${to} in the last 30 days: it did not.` },
    { requirement: 'force', detail: 'An owner may send `force: true` with a `reason`, which is audited.' },
  ]
}

/** Problems of an eval, with what has happened to its judge since. */
type Problem = EvidenceProblem | 'judge_drifted' | 'trained_prompts'

function problemsOf({ evidence, hasJudgeDrifted, trainedPrompts }: ComparingEval): readonly Problem[] {
  return [
    ...(evidence?.problems ?? []),
    ...(hasJudgeDrifted ? (['judge_drifted'] as const) : []),
    ...(trainedPrompts === 0 ? [] : (['trained_prompts'] as const)),
  ]
}

const problemTexts: Readonly<Record<Problem, string>> = {
  trained_prompts: 'the model was trained on some of its prompts, or chosen by looks at them',
  judge_drifted: 'its judge was deleted, or judges otherwise than when it was calibrated',
  judge_unmeasured: 'no calibration has measured its judge',
  judge_untrusted: 'its judge is not trustworthy',
  judge_cannot_act: 'its judge could not act',
  judge_unreliable: 'its judge contradicts itself when the answers change places',
  judge_biased: 'its judge prefers answers by their place',
  too_few_samples: 'it has too few judged prompts',
}

/** What the evals that were found lack, for the best of them. */
function describeEvals(evals: readonly ComparingEval[]): string {
  const weighed = evals.flatMap((each) =>
    each.evidence === null ? [] : [{ ...each.evidence, problems: problemsOf(each) }],
  )
  const sound = weighed.filter(({ problems }) => problems.length === 0)
  const best = sound.toSorted((one, other) => (other.win_rate_low ?? 0) - (one.win_rate_low ?? 0))[0]
  if (best !== undefined) {
    const bound = best.win_rate_low === null ? 'no lower bound' : `a lower bound of ${best.win_rate_low.toFixed(3)}`
    return `the best of ${evals.length} has ${bound} as attempt ${best.attempt}`
  }
  const [newest] = weighed
  if (newest === undefined) return 'no such eval exists'
  const problems = newest.problems.map((each) => problemTexts[each]).join(', and ')
  const reason = newest.judge_cannot_act_reason
  return `none of ${evals.length} is evidence; of the newest, ${problems}${reason === null ? '' : ` (${reason})`}`
}
