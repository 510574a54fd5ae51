import { Anchor, Stack } from '@mantine/core'
import {
  type Calibration,
  type CalibrationRow,
  listCalibrationRows,
  listCalibrations,
} from '@ratchet/contracts/calibrations'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useEndpoint, useList } from '../../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Conversation } from '../../../kit/conversation/conversation.tsx'
import { firstWords } from '../../../kit/conversation/message-lines.ts'
import { textOf } from '../../../kit/conversation/message-parts.ts'
import { Card } from '../../../kit/page.tsx'
import { SidePanel } from '../../../kit/side-panel.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { RowsSkeleton } from '../../../kit/states/skeletons.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { Confusion } from '../../../pictures/confusion.tsx'
import type { Cell } from '../../../pictures/mosaic.ts'
import { useJudge } from '../detail/judge-context.ts'
import styles from '../judges.module.css'
import { GradeAgain } from './grade-again.tsx'
import { useCellWeights } from './use-cell-weights.ts'

const route = getRouteApi('/w/$slug/judges/$judge/confusion')

/** Where people and the judge agree and differ, with the rows behind each cell. */
export function ConfusionTab(): ReactNode {
  const { id } = useJudge()
  const calibrations = useEndpoint(listCalibrations, { params: { id }, query: { limit: 20 } })
  const { cell } = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/judges/$judge/confusion' })
  return (
    <Loaded query={calibrations}>
      {({ data }) => {
        const last = data.find(({ status }) => status === 'DONE')
        if (last === undefined) {
          return <EmptyState title="Nothing to compare">No calibration of this judge is in force.</EmptyState>
        }
        return (
          <Stack gap={16}>
            <Card title="People and judge">
              <WeightedConfusion calibration={last} onCell={(chosen) => void navigate({ search: { cell: chosen } })} />
            </Card>
            <Rows calibrationId={last.id} cell={(cell as Cell | undefined) ?? 'fn'} />
          </Stack>
        )
      }}
    </Loaded>
  )
}

interface WeightedConfusionProps {
  readonly calibration: Calibration
  readonly onCell: (cell: Cell) => void
}

/** Grades are drawn with different chances, so their number is not their share of the traffic: rows carry weights. */
function WeightedConfusion({ calibration, onCell }: WeightedConfusionProps): ReactNode {
  const weights = useCellWeights(calibration)
  return weights === null ? (
    <RowsSkeleton rows={4} />
  ) : (
    <Confusion counts={calibration.confusion} weights={weights} onCell={onCell} />
  )
}

const titles: Record<Cell, string> = {
  tp: 'Both fail these',
  fn: 'Missed: people fail these, the judge passes them',
  fp: 'False alarms: people pass these, the judge fails them',
  tn: 'Both pass these',
}

function Rows({ calibrationId, cell }: { readonly calibrationId: string; readonly cell: Cell }): ReactNode {
  const { id } = useJudge()
  const params = { id, calibration_id: calibrationId }
  const rows = useList(listCalibrationRows, { params, query: { cell }, pageSize: 50 })
  const [open, setOpen] = useState<CalibrationRow | null>(null)
  return (
    <Card title={titles[cell]}>
      <ListTable
        label={titles[cell]}
        list={rows}
        columns={columns}
        rowKey={(row) => row.label_id}
        onOpen={setOpen}
        empty={<EmptyState title="None">No graded answer is in this cell.</EmptyState>}
      />
      <SidePanel title="Graded answer" opened={open !== null} onClose={() => setOpen(null)}>
        {open && <RowDetails row={open} calibrationId={calibrationId} />}
      </SidePanel>
    </Card>
  )
}

const columns: readonly Column<CalibrationRow>[] = [
  { id: 'people', header: 'People', width: 80, cell: ({ human }) => human },
  { id: 'judge', header: 'Judge', width: 80, cell: ({ judge }) => judge ?? 'none' },
  { id: 'answer', header: 'Answer', cell: ({ response }) => firstWords(textOf(response)) },
  {
    id: 'why',
    header: 'Why the judge says so',
    cell: ({ explanation }) => firstWords(explanation ?? ''),
    onPhone: false,
  },
]

function RowDetails({
  row,
  calibrationId,
}: {
  readonly row: CalibrationRow
  readonly calibrationId: string
}): ReactNode {
  const slug = useWorkspaceSlug()
  const { id } = useJudge()
  const search = { example: row.label_id, calibration: calibrationId }
  return (
    <>
      <div className={styles.pair}>
        <div>
          People: <strong>{row.human}</strong>
        </div>
        <div>
          Judge: <strong>{row.judge ?? 'no verdict'}</strong>
          <p className="dimmed">{row.explanation}</p>
        </div>
      </div>
      <Anchor
        size="sm"
        renderRoot={(props) => (
          <Link {...props} to="/w/$slug/judges/$judge/prompt" params={{ slug, judge: id }} search={search} />
        )}
      >
        Add to the prompt as an example
      </Anchor>
      <GradeAgain labelId={row.label_id} />
      <Conversation messages={row.messages} answer={row.response} />
    </>
  )
}
