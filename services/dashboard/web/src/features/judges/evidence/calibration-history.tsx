import { type Calibration, isRunOver, type listCalibrations } from '@ratchet/contracts/calibrations'
import type { ReactNode } from 'react'
import type { useList } from '../../../api/use-endpoint.ts'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { Card } from '../../../kit/page.tsx'
import { Progress } from '../../../kit/progress.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { trustStateOf } from '../../../pictures/trust-state.ts'
import { JudgeInterval } from '../judge-intervals.tsx'
import styles from '../judges.module.css'

type Calibrations = ReturnType<typeof useList<typeof listCalibrations>>

/** All calibrations as intervals over time, newest first, with those that a change of the judge voided. */
export function CalibrationHistory({ list }: { readonly list: Calibrations }): ReactNode {
  const notes = list.rows.find(({ status }) => status === 'DONE')?.notes ?? []
  return (
    <Card title="Calibrations">
      <ListTable
        label="Calibrations"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="Never calibrated">A calibration compares the judge with what people said.</EmptyState>
        }
      />
      {notes.length > 0 && (
        <ul className={styles.list}>
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </Card>
  )
}

const columns: readonly Column<Calibration>[] = [
  { id: 'when', header: 'When', width: 120, cell: ({ created_at: at }) => <TimeText at={at} /> },
  { id: 'state', header: 'Result', width: 190, cell: stateCell },
  { id: 'tpr', header: 'Fails found', width: 190, cell: (each) => <Rate calibration={each} side="tpr" /> },
  {
    id: 'tnr',
    header: 'Passes kept',
    width: 190,
    cell: (each) => <Rate calibration={each} side="tnr" />,
    onPhone: false,
  },
  {
    id: 'rows',
    header: 'Grades',
    isNumber: true,
    width: 90,
    cell: ({ confusion: { tp, fn, fp, tn } }) => tp + fn + fp + tn,
    onPhone: false,
  },
  {
    id: 'cost',
    header: 'Cost',
    isNumber: true,
    width: 90,
    cell: (each) => moneyText(microOfUsd(each.cost_usd)),
    onPhone: false,
  },
]

function stateCell({ status, trust, progress, error, void_reason: reason }: Calibration): ReactNode {
  if (!isRunOver({ status })) return <Progress label="Running" {...progress} />
  if (status === 'FAILED') return <StateLabel state="wrong">{error ?? 'failed'}</StateLabel>
  if (status === 'VOIDED') {
    return (
      <span title={reason ?? undefined}>
        <StateLabel state="none">voided</StateLabel>
      </span>
    )
  }
  return <StateLabel state={trustStateOf[trust]}>{trust}</StateLabel>
}

function Rate({ calibration, side }: { readonly calibration: Calibration; readonly side: 'tpr' | 'tnr' }): ReactNode {
  if (calibration[side] === null) return <span className="dimmed">–</span>
  const judge = { ...calibration, fail_grades_needed: 1, pass_grades_needed: 1 }
  return (
    <div className={calibration.status === 'VOIDED' ? styles.old : undefined}>
      <JudgeInterval judge={judge} side={side} isSmall />
    </div>
  )
}
