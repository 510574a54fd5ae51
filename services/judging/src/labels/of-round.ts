import { roundMethod } from '../review/round.ts'

/**
 * SQL: whether a row of `label` was given blind in a round of review, or settles such an item. Only these rooms store grades
 * with this source and method: a posted grade has another source, and a run that is graded singly never has this method.
 */
export function isOfRound(label: string): string {
  return `(${label}.sampling_method = '${roundMethod}' AND ${label}.source = 'review_queue' AND ${label}.blind)`
}

interface Moment {
  /** SQL of the judge's id. */
  readonly criterionId: string
  /** SQL of the moment; now when absent. */
  readonly asOf?: string
}

/**
 * SQL: whether a row of `label` counts for a judge: no other grade supersedes it. In a round only blind grades count: of each
 * person the last one, whatever the person says about the item later.
 */
export function countsFor(label: string, { criterionId, asOf }: Moment): string {
  const until = (row: string) => (asOf === undefined ? '' : ` AND ${row}.created_at <= ${asOf}`)
  const ofPerson = `b.workspace_id = ${label}.workspace_id AND b.item_key = ${label}.item_key
    AND b.grader_id = ${label}.grader_id AND ${isOfRound('b')}${until('b')}`
  const isLastBlind = `(${isOfRound(label)} AND NOT EXISTS (SELECT 1 FROM label b
    WHERE b.criterion_id = ${label}.criterion_id AND ${ofPerson} AND (b.created_at, b.id) > (${label}.created_at, ${label}.id)))`
  const hasBlind = `(NOT ${isOfRound(label)} AND EXISTS (SELECT 1 FROM label b
    WHERE b.criterion_id = ${criterionId} AND ${ofPerson}))`
  const isLast =
    asOf === undefined
      ? `${label}.superseded_by IS NULL`
      : `(${label}.superseded_by IS NULL OR NOT EXISTS (SELECT 1 FROM label s
    WHERE s.workspace_id = ${label}.workspace_id AND s.id = ${label}.superseded_by${until('s')}))`
  return `((${isLast} OR ${isLastBlind}) AND NOT ${hasBlind})`
}
