import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { CurationSummary } from './curate.ts'

const scanPath = (criterionId: string) => `POST /v1/criteria/${criterionId}/scan`

/** What a curation by a judge says of exchanges that the judge has not judged; null when it has judged all. */
export function unjudgedWarning({ matched, dropped }: CurationSummary, criterionId: string): string | null {
  const { judge_unscored: unjudged } = dropped
  if (unjudged === 0) return null
  return `The judge has no verdict on ${unjudged} of the ${matched} exchanges that match, so they are left out. Scan them with \`${scanPath(criterionId)}\`, then curate again.`
}

/** Why a curation would create an empty dataset. `details.reason` says it for programs. */
export function nothingLeft(summary: CurationSummary, criterionId: string | null): ServiceError {
  const { matched, dropped } = summary
  const refuse = (param: string, reason: string, message: string) =>
    new ServiceError('invalid_request', message, { param, details: { reason, summary } })
  if (matched === 0) return refuse('filters', 'nothing_matches', 'No exchange matches.')
  if (criterionId !== null && dropped.judge_unscored > 0 && dropped.judge_failed === 0) {
    const message = `The judge has judged none of the exchanges that match. Scan them with \`${scanPath(criterionId)}\`, then curate again.`
    return refuse('criterion_id', 'not_judged', message)
  }
  return refuse('filters', 'all_dropped', 'No example is left for the dataset. `details.summary` counts why.')
}
