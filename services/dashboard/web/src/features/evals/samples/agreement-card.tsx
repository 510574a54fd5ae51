import { type CandidateCalibration, calibrateEval, listEvalPreferences } from '@ratchet/contracts/eval-preferences'
import { listEvalSamples } from '@ratchet/contracts/evals'
import { type ReactNode, useEffect } from 'react'
import { useMe } from '../../../api/me.ts'
import { useEndpoint, useList } from '../../../api/use-endpoint.ts'
import { count, percent } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { RowsSkeleton } from '../../../kit/states/skeletons.tsx'
import { agreementOf } from './blind.ts'

interface AgreementCardProps {
  readonly evalId: string
  readonly candidate: string
  readonly isSaving: boolean
}

/** How often the judge says what the person chose. It is computed from what is stored, when everything is. */
export function AgreementCard({ isSaving, ...props }: AgreementCardProps): ReactNode {
  return (
    <Card title="You and the judge">
      {isSaving ? <p className="dimmed">The last choices are being saved.</p> : <Agreement {...props} />}
    </Card>
  )
}

const pageSize = 200

function Agreement({ evalId: id, candidate }: Omit<AgreementCardProps, 'isSaving'>): ReactNode {
  const grader = useMe().user?.id ?? ''
  const params = { id }
  const preferences = useAll(useList(listEvalPreferences, { params, pageSize }))
  const samples = useAll(useList(listEvalSamples, { params, query: { candidate }, pageSize }))
  const calibration = useEndpoint(calibrateEval, { params })
  const error = preferences.error ?? samples.error ?? calibration.error
  if (error !== null) return <ErrorState error={error} />
  if (preferences.isLoading || samples.isLoading) return <RowsSkeleton rows={2} />
  const outcomes = new Map(
    samples.rows.flatMap(({ id: of, outcome }) => (outcome === null ? [] : [[of, outcome] as const])),
  )
  const { compared, agreed } = agreementOf({ grader, candidate, preferences: preferences.rows, outcomes })
  return (
    <>
      <p data-testid="agreement">
        {compared === 0
          ? 'You have compared no sample that the judge judged.'
          : `You and the judge agree on ${count(agreed)} of ${count(compared)} samples, ${percent(agreed / compared)}.`}
      </p>
      <Corrected found={calibration.data?.candidates[candidate]} />
    </>
  )
}

interface AllRows<Row> {
  readonly rows: readonly Row[]
  readonly error: Error | null
  readonly isPending: boolean
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => unknown
}

/** Every page of a list. */
function useAll<Row>(list: AllRows<Row>) {
  const { rows, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = list
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  return { rows, error, isLoading: isPending || hasNextPage }
}

/** What the choices of all people say about the win rate, once there are enough of them. */
function Corrected({ found }: { readonly found: CandidateCalibration | undefined }): ReactNode {
  if (found === undefined) return null
  const { accuracy, accuracy_ci: interval, corrected_win_rate: rate, corrected_win_rate_ci: bounds } = found
  const { win, tie, loss } = found.grades_needed
  if (accuracy === null || rate === null) {
    const needed = `${count(win)} of wins, ${count(tie)} of ties and ${count(loss)} of losses`
    return <p className="dimmed">To correct the win rate by people, choices are missing: {needed}.</p>
  }
  const between = (limits: readonly [number, number] | null) =>
    limits === null ? '' : ` [${percent(limits[0])}, ${percent(limits[1])}]`
  return (
    <p>
      By the choices of all people the judge is right on {percent(accuracy)}
      {between(interval)}, and the win rate is {percent(rate)}
      {between(bounds)}.
    </p>
  )
}
