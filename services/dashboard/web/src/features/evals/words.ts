import { isRunOver } from '@ratchet/contracts/calibrations'
import type { EvalVerdict } from '@ratchet/contracts/eval-question'
import type { CandidateReport } from '@ratchet/contracts/eval-report'
import type { Eval } from '@ratchet/contracts/evals'
import type { z } from 'zod'
import type { State } from '../../kit/state-mark.tsx'

type Verdict = z.infer<typeof EvalVerdict>

const statuses: Record<Eval['status'], readonly [string, State]> = {
  PENDING: ['waiting to start', 'none'],
  RUNNING: ['running', 'open'],
  DONE: ['done', 'proven'],
  FAILED: ['failed', 'wrong'],
  CANCELLED: ['cancelled', 'none'],
}

/** The status of an eval in words, with the shape of a state. */
export function statusOf({ status }: Pick<Eval, 'status'>): { readonly word: string; readonly state: State } {
  const [word, state] = statuses[status]
  return { word, state }
}

export function isUnderWay(run: Pick<Eval, 'status'>): boolean {
  return !isRunOver(run)
}

const verdicts: Record<Verdict, readonly [string, State]> = {
  better: ['better', 'proven'],
  not_worse: ['not worse', 'proven'],
  worse: ['worse', 'wrong'],
  inconclusive: ['nothing proven', 'open'],
}

/** What the report proves about a candidate. Reports of older versions have only the win rate. */
export function verdictOf(found: Pick<CandidateReport, 'difference' | 'inconclusive' | 'win_rate'>): {
  readonly word: string
  readonly state: State
} {
  const { difference, inconclusive, win_rate: winRate } = found
  const older = inconclusive || winRate === null ? 'inconclusive' : winRate > 0.5 ? 'better' : 'worse'
  const [word, state] = verdicts[difference?.verdict ?? older]
  return { word, state }
}

/** What an eval is to prove, as a sentence. */
export function questionText({
  question,
  margin,
  stop_when: stopWhen,
}: Pick<Eval, 'question' | 'margin' | 'stop_when'>) {
  const asked =
    question === 'better'
      ? 'Is a candidate better than the baseline?'
      : `Is a candidate not worse, by more than ${((margin ?? 0) * 100).toFixed(1)} points?`
  return stopWhen === null ? asked : `${asked} It stops as soon as that is answered.`
}

/** A p-value with as many digits as matter. */
export function pText(p: number): string {
  return p < 0.001 ? '< 0.001' : p.toFixed(3)
}

/** A difference of shares in percentage points, with its sign. */
export function pointsText(share: number): string {
  return `${share > 0 ? '+' : share < 0 ? '−' : ''}${Math.abs(share * 100).toFixed(1)} points`
}

/** A difference of shares in whole per cent with its sign, short enough for an axis. */
export function signedPercent(share: number): string {
  const hundred = Math.round(Math.abs(share) * 100)
  return `${hundred === 0 ? '' : share > 0 ? '+' : '−'}${hundred} %`
}
