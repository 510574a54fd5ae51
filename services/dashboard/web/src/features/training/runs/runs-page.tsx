import { Button } from '@mantine/core'
import { type GrpoRun, listGrpoRuns } from '@ratchet/contracts/grpo'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useList } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { useKey } from '../../../keys/key-context.ts'
import { FilterBar } from '../../../kit/filters/filter-bar.tsx'
import { addMoney, microOfUsd, moneyText } from '../../../kit/money.ts'
import { NextLink } from '../../../kit/next-link.tsx'
import { countOf } from '../../../kit/numbers.ts'
import { Page } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { TrainingTabs } from '../training-tabs.tsx'
import { isUnderWay, rewardText, stateOfGuard, statusOf } from './run-words.ts'
import { useRunCounts } from './waiting-runs.tsx'

const route = getRouteApi('/w/$slug/training/runs')
const pollMs = 3_000
const filters: z.ZodObject = listGrpoRuns.query.pick({ status: true })

/** Runs that train a model by the rewards of its own answers. */
export function RunsPage(): ReactNode {
  const { slug } = route.useParams()
  const navigate = useNavigate({ from: '/w/$slug/training/runs' })
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const create = () => void navigate({ to: '/w/$slug/training/runs/new', params: { slug } })
  useKey('create', create, { enabled: reason === null })
  return (
    <Page
      title="GRPO"
      lead="A model answers, proven judges, functions and tools reward the answers, and the model learns from the better ones. A guard watches that the reward is not exploited."
      above={<TrainingTabs />}
      actions={
        <NotPermitted reason={reason}>
          {(disabled) => (
            <Button disabled={disabled} onClick={create}>
              New run
            </Button>
          )}
        </NotPermitted>
      }
    >
      {reason === null ? <Runs /> : <Notice state="none">{reason}</Notice>}
    </Page>
  )
}

function Runs(): ReactNode {
  const { slug } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/training/runs' })
  const runs = useList(listGrpoRuns, { query: search })
  const counts = useRunCounts()
  const isChanging = runs.rows.some(isUnderWay)
  usePolling(runs.refetch, isChanging, pollMs)
  usePolling(counts.refetch, isChanging, pollMs)
  const waiting = counts.data?.candidates_waiting ?? 0
  return (
    <>
      {waiting > 0 && (
        <Notice state="borderline">
          {countOf(waiting, 'run is', 'runs are')} trained and measured, and nobody has decided about{' '}
          {waiting === 1 ? 'it' : 'them'}.
        </Notice>
      )}
      <FilterBar
        schema={filters}
        values={search}
        onChange={(changed) => void navigate({ search: (before) => ({ ...before, ...changed }) })}
      />
      <ListTable
        label="GRPO runs"
        list={runs}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/w/$slug/training/runs/$id', params: { slug, id } })}
        empty={
          Object.keys(search).length > 0 ? (
            <EmptyState title="Nothing found">No run has this status.</EmptyState>
          ) : (
            <EmptyState title="No runs yet" action={<NextLink to="training/runs/new">Start a run</NextLink>}>
              A run needs prompts, a model that can be trained, and a reward of proven judges, functions or tools. The
              API and <code>ratchet grpo run</code> start runs with every setting.
            </EmptyState>
          )
        }
      />
    </>
  )
}

const columns: readonly Column<GrpoRun>[] = [
  { id: 'name', header: 'Run', cell: ({ name }) => <strong>{name}</strong> },
  { id: 'model', header: 'Model', width: 150, cell: ({ base_model: model }) => model, onPhone: false },
  { id: 'status', header: 'Status', width: 170, cell: (run) => <Status run={run} /> },
  { id: 'reward', header: 'Reward', width: 120, cell: rewardText, onPhone: false },
  {
    id: 'guard',
    header: 'Guard',
    width: 120,
    cell: ({ guard: { verdict } }) => <StateLabel state={stateOfGuard(verdict)}>{verdict}</StateLabel>,
    onPhone: false,
  },
  { id: 'cost', header: 'Cost', width: 90, isNumber: true, cell: costText },
  { id: 'created', header: 'Created', width: 130, cell: ({ created_at: at }) => <TimeText at={at} />, onPhone: false },
]

/** For training and for judges. */
function costText({ cost_usd: training, judge_cost_usd: judges }: GrpoRun): string {
  return moneyText(addMoney([microOfUsd(training), microOfUsd(judges)]))
}

function Status({ run }: { readonly run: GrpoRun }): ReactNode {
  const { word, state } = statusOf(run)
  return <StateLabel state={state}>{word}</StateLabel>
}
