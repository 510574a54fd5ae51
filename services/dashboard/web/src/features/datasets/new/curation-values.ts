import type { CurateFromLogs, CurationSummary } from '@ratchet/contracts/datasets'
import type { z } from 'zod'
import type { DropPart } from '../../../pictures/drops-bar.tsx'

/** What the form of a curation holds, beside its name and the filters in the address. */
export interface CurationValues {
  readonly criterionId: string | null
  readonly verdict: 'pass' | 'fail'
  readonly dedupe: 'exact' | 'near'
  readonly includesTools: boolean
  /** Whether only the last answer of a conversation is trained on. */
  readonly onlyLastAnswer: boolean
  readonly holdoutPct: number
  /** Null for all. */
  readonly maxExamples: number | null
}

export const firstCuration: CurationValues = {
  criterionId: null,
  verdict: 'pass',
  dedupe: 'exact',
  includesTools: true,
  onlyLastAnswer: false,
  holdoutPct: 10,
  maxExamples: null,
}

type Filters = Readonly<Record<string, string | undefined>>
type CurationBody = Omit<z.input<typeof CurateFromLogs>, 'name'>

/** The body of the preview, and with a name of the curation. */
export function curationBody(values: CurationValues, filters: Filters): CurationBody {
  const { criterionId, verdict, dedupe, includesTools, onlyLastAnswer, holdoutPct, maxExamples } = values
  return {
    filters: Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)),
    ...(criterionId === null ? {} : { criterion_id: criterionId, verdict }),
    dedupe,
    include_tools: includesTools,
    weight_earlier_turns: onlyLastAnswer ? 0 : 1,
    holdout_pct: holdoutPct,
    ...(maxExamples === null ? {} : { max_examples: maxExamples }),
  }
}

export type DropReason = keyof CurationSummary['dropped']

const reasons: Record<DropReason, string> = {
  errored: 'failed',
  truncated: 'cut off',
  empty: 'empty',
  duplicate: 'duplicates',
  near_duplicate: 'near duplicates',
  judge_failed: 'another verdict',
  judge_unscored: 'not judged',
  too_long: 'too long',
  leaked: 'like training',
  over_max_examples: 'above the maximum',
}

export function reasonText(reason: DropReason): string {
  return reasons[reason]
}

/** What is matched, divided into what is kept and every reason. */
export function partsOf({ kept, dropped }: CurationSummary): readonly DropPart[] {
  const lost = (Object.keys(reasons) as DropReason[]).map((id) => ({ id, label: reasons[id], count: dropped[id] }))
  return [{ id: 'kept', label: 'kept', count: kept, isKept: true }, ...lost]
}
