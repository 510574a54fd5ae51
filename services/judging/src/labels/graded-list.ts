import type { GradedList } from '@ratchet/contracts/labels'
import type { ServiceError } from '@ratchet/service-kit/service-error'
import type { GradeOutcome } from './add-grades.ts'
import type { StoredLabel } from './label.ts'
import type { LabelStore } from './label-store.ts'
import { memberTexts } from './label-texts.ts'

export interface Graded {
  readonly outcomes: readonly GradeOutcome[]
  /** Those that were created, in their order. */
  readonly kept: readonly StoredLabel[]
}

/** What became of several grades, as pieces of JSON: what was graded is not in memory all at once. */
export async function* gradedList(
  store: Pick<LabelStore, 'snapshots'>,
  { outcomes, kept }: Graded,
): AsyncGenerator<string> {
  const rejected = outcomes.flatMap((outcome, index) =>
    outcome.kind === 'refused' ? [rejection(index, outcome.error)] : [],
  )
  const superseded = outcomes.filter((outcome) => outcome.kind === 'created' && outcome.supersedes).length
  yield '{"object":"list","data":['
  yield* memberTexts(store, kept)
  yield `],"created":${kept.length},"superseded":${superseded},"rejected":${JSON.stringify(rejected)}}`
}

function rejection(index: number, { code, message, param }: ServiceError): GradedList['rejected'][number] {
  return { index, code, message, param }
}
