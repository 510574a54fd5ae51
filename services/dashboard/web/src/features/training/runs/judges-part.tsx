import type { GrpoJudge, GrpoRun } from '@ratchet/contracts/grpo'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Card } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { trustStateOf } from '../../../pictures/trust-state.ts'
import { judgeRateText } from './run-words.ts'

/** The judges as they were when the run was created. */
export function JudgesPart({ run: { judges_at_start: judges } }: { readonly run: GrpoRun }): ReactNode {
  return (
    <Card title="Judges at the start">
      {judges.length === 0 ? (
        <p className="dimmed">No judge rewards this run: only functions or tools do.</p>
      ) : (
        <DataTable
          label="Judges at the start"
          columns={columns}
          rows={judges}
          rowKey={(judge) => `${judge.role}-${judge.criterion_id}-${judge.judge_model}`}
        />
      )}
    </Card>
  )
}

const columns: readonly Column<GrpoJudge>[] = [
  { id: 'judge', header: 'Judge', cell: (judge) => <JudgeLink judge={judge} /> },
  {
    id: 'role',
    header: 'Role',
    width: 110,
    cell: ({ role }) => (role === 'reward' ? 'reward' : 'hold-out'),
  },
  { id: 'model', header: 'Model', cell: ({ judge_model: model }) => model, onPhone: false },
  {
    id: 'trust',
    header: 'Trust',
    width: 150,
    cell: ({ trust }) => <StateLabel state={trustStateOf[trust]}>{trust}</StateLabel>,
  },
  {
    id: 'tpr',
    header: 'Fails found',
    cell: ({ tpr, tpr_ci: interval }) => judgeRateText(tpr, interval),
    onPhone: false,
  },
  {
    id: 'tnr',
    header: 'Passes found',
    cell: ({ tnr, tnr_ci: interval }) => judgeRateText(tnr, interval),
    onPhone: false,
  },
]

function JudgeLink({ judge: { criterion_id: id } }: { readonly judge: GrpoJudge }): ReactNode {
  return (
    <Link to="/w/$slug/judges/$judge" params={{ slug: useWorkspaceSlug(), judge: id }}>
      {id}
    </Link>
  )
}
