import type { AliasSettings, GateState } from '@ratchet/contracts/aliases'
import type { Trust } from '@ratchet/contracts/criteria'
import { mainModel } from './alias.ts'

/** An eval that compared the model of today with the one that is to take its place. */
export interface ComparedModels {
  readonly evalId: string
  /** Low end of the 95 % interval of the win rate; null where nothing was judged. */
  readonly winRateLow: number | null
  readonly savingsPct: number | null
}

export interface RepointQuestion {
  readonly before: AliasSettings
  readonly after: AliasSettings
  /** Of the gate on the split as it was. */
  readonly gateState: GateState | null
  /** Of its judge, at its last look. */
  readonly gateTrust: Trust | null
  /** DONE evals of the last 30 days, old model to new; null where they were not asked for yet. */
  readonly evals: readonly ComparedModels[] | null
  /** Models that all or most requests went to in the last 30 days. */
  readonly servedLately: ReadonlySet<string>
  /** An owner's word in place of evidence. */
  readonly isForced: boolean
}

export type RepointRuling =
  | { readonly kind: 'allowed'; readonly evidence: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly missing: readonly MissingEvidence[] }

/** One thing that would have been enough. */
export interface MissingEvidence {
  readonly requirement: 'eval' | 'canary' | 'served_before' | 'force'
  readonly detail: string
}

/** Whether this policy, or that of the workspace, wants repoints proven. What loosens it takes hold with the next change. */
export function wantsEvidence(
  policy: 'off' | 'enforce',
  { before, after }: Pick<RepointQuestion, 'before' | 'after'>,
): boolean {
  return [before, after].some(({ require_evidence: own }) => own ?? policy === 'enforce')
}

/** A model that takes the place of the one that most requests are meant for. */
export interface Move {
  readonly from: string
  readonly to: string
}

/**
 * The moves that a change makes: to models that all requests may go to from now on, at once or by a rollback, and might
 * not before. The way back to the target is none.
 */
export function movesOf({ before, after }: Pick<RepointQuestion, 'before' | 'after'>): readonly Move[] {
  const from = mainModel(before)
  const known = new Set([from, before.target_model])
  const requested = new Set([mainModel(after), after.target_model])
  return [...requested].filter((to) => !known.has(to)).map((to) => ({ from, to }))
}

const enough = 0.5
const enoughWhenCheaper = 0.45
/** Of a gate whose word is taken for proof. */
const largestMargin = 0.1

/** Whether a move is proven, by any one of four things. */
export function ruleOnMove({ from, to }: Move, question: RepointQuestion): RepointRuling {
  const { before, after, gateState, gateTrust, evals, servedLately, isForced } = question
  if (servedLately.has(to)) return { kind: 'allowed', evidence: { kind: 'served_before', from, to } }
  if (gateState === 'promote_ready' && gateTrust === 'trustworthy' && before.canary_model === to && isStrict(before)) {
    return { kind: 'allowed', evidence: { kind: 'canary', from, to, margin: before.gate_rollback_threshold } }
  }
  if (isForced) return { kind: 'allowed', evidence: { kind: 'forced', from, to } }
  const proof = evals?.find((found) => isProof(found, after))
  if (proof !== undefined) return { kind: 'allowed', evidence: { kind: 'eval', from, to, ...proof } }
  return { kind: 'refused', missing: missing(question, { from, to }) }
}

/** A gate that tolerates any drop proves nothing. */
function isStrict({ gate_rollback_threshold: margin }: AliasSettings): boolean {
  return margin <= largestMargin
}

function isProof({ winRateLow, savingsPct }: ComparedModels, after: AliasSettings): boolean {
  if (winRateLow === null) return false
  if (winRateLow >= enough) return true
  return winRateLow >= enoughWhenCheaper && savingsPct !== null && savingsPct > 0 && after.gate_criterion_id !== null
}

function missing({ evals, gateState, before }: RepointQuestion, { from, to }: Move): readonly MissingEvidence[] {
  const lows = (evals ?? []).flatMap(({ winRateLow }) => winRateLow ?? [])
  const best = lows.length === 0 ? null : Math.max(...lows)
  const found = best === null ? 'there is none' : `of ${lows.length} the best has its low end at ${best.toFixed(3)}`
  const canary =
    before.canary_model === to ? `the gate on it is ${gateState ?? 'not set'}` : `${to} is not the canary of this alias`
  return [
    {
      requirement: 'eval',
      detail: `A DONE eval of the last 30 days from ${from} to ${to} whose win rate has its low end at 0.5 or above, or at 0.45 if it is cheaper and a gate criterion is set: ${found}.`,
    },
    {
      requirement: 'canary',
      detail: `A canary whose gate is promote_ready with a trustworthy judge and a threshold of ${largestMargin} or less: ${canary}.`,
    },
    { requirement: 'served_before', detail: `The alias served ${to} in the last 30 days: it did not.` },
    { requirement: 'force', detail: 'An owner may send `force: true` with a `reason`, which is audited.' },
  ]
}

/** Models that settings which were in force since a moment sent most requests to. */
export function servedSince(
  history: readonly { readonly settings: AliasSettings; readonly from: Date }[],
): ReadonlySet<string> {
  return new Set(history.map(({ settings }) => mainModel(settings)))
}
