import { listVerdicts, type VerdictRow } from '@ratchet/contracts/scans'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { z } from 'zod'
import { useList } from '../../../api/use-endpoint.ts'
import { firstWords } from '../../../kit/conversation/message-lines.ts'
import { Facts } from '../../../kit/facts.tsx'
import { FilterBar } from '../../../kit/filters/filter-bar.tsx'
import { LogLink, RunLink } from '../../../kit/item-link.tsx'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { SidePanel } from '../../../kit/side-panel.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { exactTime } from '../../../kit/time.ts'
import { TimeText } from '../../../kit/time-text.tsx'
import { useJudge } from '../detail/judge-context.ts'

const route = getRouteApi('/w/$slug/judges/$judge/verdicts')

/** What the judge said, newest first. */
export function VerdictsTab(): ReactNode {
  const { id } = useJudge()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/judges/$judge/verdicts' })
  const verdicts = useList(listVerdicts, { params: { id }, query: search as never })
  const [open, setOpen] = useState<VerdictRow | null>(null)
  return (
    <>
      <FilterBar
        schema={listVerdicts.query as z.ZodObject}
        values={search}
        onChange={(changed) => void navigate({ search: (before) => ({ ...before, ...changed }) })}
      />
      <ListTable
        label="Verdicts"
        list={verdicts}
        columns={columns}
        rowKey={(row) => row.id}
        onOpen={setOpen}
        empty={
          <EmptyState title="No verdict">
            The judge has said nothing that matches. Scan some traffic, or switch the monitor on.
          </EmptyState>
        }
      />
      <SidePanel title="Verdict" opened={open !== null} onClose={() => setOpen(null)}>
        {open && <VerdictDetails row={open} />}
      </SidePanel>
    </>
  )
}

const columns: readonly Column<VerdictRow>[] = [
  { id: 'when', header: 'When', width: 130, cell: ({ judged_at: at }) => <TimeText at={at} /> },
  {
    id: 'verdict',
    header: 'Verdict',
    width: 90,
    cell: ({ verdict }) => <StateLabel state={verdict === 'fail' ? 'wrong' : 'proven'}>{verdict}</StateLabel>,
  },
  {
    id: 'source',
    header: 'From',
    width: 110,
    cell: ({ source }) => (source === 'online' ? 'monitor' : source),
    onPhone: false,
  },
  { id: 'why', header: 'Why', cell: ({ explanation }) => firstWords(explanation ?? '') },
  {
    id: 'tag',
    header: 'Tag',
    width: 120,
    cell: ({ tag }) => tag ?? <span className="dimmed">none</span>,
    onPhone: false,
  },
]

function VerdictDetails({ row }: { readonly row: VerdictRow }): ReactNode {
  const { verdict, explanation, judged_at: at, judge_model: model, cost_usd: usd, log_id: log, trace_id: trace } = row
  return (
    <>
      <Facts
        facts={[
          ['Verdict', verdict],
          ['When', exactTime(at)],
          ['Model', model ?? 'not known'],
          ['Cost', moneyText(microOfUsd(usd))],
          ...(log === null ? [] : ([['Exchange', <LogLink key="log" id={log} />]] as const)),
          ...(trace === null || log !== null ? [] : ([['Run', <RunLink key="run" id={trace} />]] as const)),
        ]}
      />
      <p style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{explanation}</p>
    </>
  )
}
