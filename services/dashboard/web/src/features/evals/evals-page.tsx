import { Button } from '@mantine/core'
import { type Eval, listEvals } from '@ratchet/contracts/evals'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useList } from '../../api/use-endpoint.ts'
import { usePolling } from '../../api/use-polling.ts'
import { useKey } from '../../keys/key-context.ts'
import { FilterBar } from '../../kit/filters/filter-bar.tsx'
import { addMoney, microOfUsd, moneyText } from '../../kit/money.ts'
import { count } from '../../kit/numbers.ts'
import { Page } from '../../kit/page.tsx'
import { StateLabel } from '../../kit/state-mark.tsx'
import { EmptyState } from '../../kit/states/empty-state.tsx'
import { NotPermitted } from '../../kit/states/not-permitted.tsx'
import type { Column } from '../../kit/table/column.ts'
import { ListTable } from '../../kit/table/list-table.tsx'
import { TimeText } from '../../kit/time-text.tsx'
import { isUnderWay, statusOf } from './words.ts'

const route = getRouteApi('/w/$slug/evals')
const pollMs = 3_000

export function EvalsPage(): ReactNode {
  const { slug } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/evals' })
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const evals = useList(listEvals, { query: search, topics: ['evals'] })
  usePolling(evals.refetch, evals.rows.some(isUnderWay), pollMs)
  const create = () => void navigate({ to: '/w/$slug/evals/new', params: { slug }, search: {} })
  useKey('create', create, { enabled: reason === null })
  const hasFilters = Object.keys(search).length > 0
  return (
    <Page
      title="Evals"
      lead="Models compared on your own prompts: every candidate against the baseline, by a judge, with intervals."
      actions={
        <NotPermitted reason={reason}>
          {(disabled) => (
            <Button disabled={disabled} onClick={create}>
              New eval
            </Button>
          )}
        </NotPermitted>
      }
    >
      <FilterBar
        schema={listEvals.query as z.ZodObject}
        values={search}
        onChange={(changed) => void navigate({ search: (before) => ({ ...before, ...changed }) })}
      />
      <ListTable
        label="Evals"
        list={evals}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/w/$slug/evals/$id', params: { slug, id }, search: {} })}
        empty={
          hasFilters ? (
            <EmptyState title="Nothing found">No eval matches these filters.</EmptyState>
          ) : (
            <EmptyState
              title="No evals yet"
              action={
                reason === null && (
                  <Link to="/w/$slug/evals/new" params={{ slug }} search={{}}>
                    Compare two models
                  </Link>
                )
              }
            >
              Nobody has compared models here. An eval says whether another model answers your prompts better, or as
              well for less money.
            </EmptyState>
          )
        }
      />
    </Page>
  )
}

const columns: readonly Column<Eval>[] = [
  { id: 'name', header: 'Eval', cell: ({ name }) => <strong>{name}</strong> },
  {
    id: 'models',
    header: 'Compares',
    cell: (each) => `${each.candidate_models.join(', ')} with ${each.baseline_model}`,
    onPhone: false,
  },
  { id: 'status', header: 'Status', width: 150, cell: (each) => <Status each={each} /> },
  {
    id: 'samples',
    header: 'Samples',
    width: 100,
    isNumber: true,
    cell: ({ progress: { done, total } }) => (total === 0 ? '–' : done === total ? count(done) : `${done} / ${total}`),
    onPhone: false,
  },
  {
    id: 'cost',
    header: 'Cost',
    width: 100,
    isNumber: true,
    cell: (each) => moneyText(addMoney([microOfUsd(each.cost_usd), microOfUsd(each.judge_cost_usd)])),
  },
  { id: 'created', header: 'Started', width: 130, cell: (each) => <TimeText at={each.created_at} />, onPhone: false },
]

function Status({ each }: { readonly each: Eval }): ReactNode {
  const { word, state } = statusOf(each)
  return <StateLabel state={state}>{word}</StateLabel>
}
