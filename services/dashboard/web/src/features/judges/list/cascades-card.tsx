import { type Cascade, listCascades } from '@ratchet/contracts/cascades'
import type { ReactNode } from 'react'
import { useList } from '../../../api/use-endpoint.ts'
import { count, percent, rate } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { RateInterval } from '../../../pictures/rate-interval.tsx'

/** Cascades of judges, with how often people agree with what each decides. Nothing when there are none. */
export function CascadesCard(): ReactNode {
  const cascades = useList(listCascades, { topics: ['judges'] })
  if (cascades.rows.length === 0 && cascades.error === null) return null
  return (
    <Card title="Cascades">
      <ListTable label="Cascades" list={cascades} columns={columns} rowKey={({ id }) => id} empty={null} />
    </Card>
  )
}

const columns: readonly Column<Cascade>[] = [
  { id: 'name', header: 'Cascade', cell: ({ name }) => name },
  { id: 'state', header: 'State', width: 150, cell: stateCell },
  { id: 'agreement', header: 'People agree', width: 200, cell: agreementCell },
  { id: 'promised', header: 'Promised', width: 90, isNumber: true, cell: ({ agreement }) => rate(agreement) },
  { id: 'decides', header: 'Decides', width: 90, isNumber: true, cell: shareOf('coverage'), onPhone: false },
  { id: 'saves', header: 'Saves', width: 90, isNumber: true, cell: shareOf('saving'), onPhone: false },
  {
    id: 'grades',
    header: 'Grades',
    width: 90,
    isNumber: true,
    cell: ({ calibration }) => (calibration === null ? none : count(calibration.graded)),
    onPhone: false,
  },
]

const none = <span className="dimmed">none</span>

function stateCell({ can_scan: canScan, calibration }: Cascade): ReactNode {
  if (canScan) return <StateLabel state="proven">proven</StateLabel>
  if (calibration === null) return <StateLabel state="none">not calibrated</StateLabel>
  const { status, void_reason: reason } = calibration
  if (status === 'VOIDED')
    return (
      <span title={reason ?? undefined}>
        <StateLabel state="none">void</StateLabel>
      </span>
    )
  if (status === 'DONE') return <StateLabel state="borderline">not proven</StateLabel>
  return status === 'FAILED' ? (
    <StateLabel state="wrong">failed</StateLabel>
  ) : (
    <span className="dimmed">calibrates</span>
  )
}

/** The promise is that of a test, so the state is that of the cascade, not of the interval. */
function agreementCell({ agreement: promised, can_scan: canScan, calibration }: Cascade): ReactNode {
  if (calibration === null || calibration.agreement === null) return none
  return (
    <RateInterval
      label="People agree"
      rate={calibration.agreement}
      interval={calibration.agreement_ci}
      bar={promised}
      state={canScan ? 'proven' : 'open'}
      isSmall
    />
  )
}

function shareOf(field: 'coverage' | 'saving') {
  return ({ calibration }: Cascade): ReactNode => {
    const value = calibration?.[field] ?? null
    return value === null ? none : percent(value)
  }
}
