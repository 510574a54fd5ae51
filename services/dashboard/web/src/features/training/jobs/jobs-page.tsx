import { Button } from '@mantine/core'
import { type FineTuningJob, listFineTuningJobs } from '@ratchet/contracts/fine-tuning'
import { fineTuningJobPages } from '@ratchet/contracts/fine-tuning-list'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useList } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { useKey } from '../../../keys/key-context.ts'
import { FilterBar } from '../../../kit/filters/filter-bar.tsx'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { Page } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { TrainingTabs } from '../training-tabs.tsx'
import { isoOfSeconds, isUnderWay, methodText, progressText, statusOf, titleOf } from '../words.ts'

const route = getRouteApi('/w/$slug/training/jobs')
const pollMs = 3_000
const filters: z.ZodObject = listFineTuningJobs.query.pick({ status: true, model: true })

export function JobsPage(): ReactNode {
  const { slug } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/training/jobs' })
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const jobs = useList(fineTuningJobPages, { query: { ...search, envelope: 'true' } })
  usePolling(jobs.refetch, jobs.rows.some(isUnderWay), pollMs)
  const create = () => void navigate({ to: '/w/$slug/training/jobs/new', params: { slug }, search: {} })
  useKey('create', create, { enabled: reason === null })
  return (
    <Page
      title="Training"
      lead="Models that are trained on your own examples. A job is charged for what its stored checkpoints contain, and for nothing else."
      above={<TrainingTabs />}
      actions={
        <NotPermitted reason={reason}>
          {(disabled) => (
            <Button disabled={disabled} onClick={create}>
              New job
            </Button>
          )}
        </NotPermitted>
      }
    >
      <FilterBar
        schema={filters}
        values={search}
        onChange={(changed) => void navigate({ search: (before) => ({ ...before, ...changed }) })}
      />
      <ListTable
        label="Fine-tuning jobs"
        list={jobs}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/w/$slug/training/jobs/$id', params: { slug, id } })}
        empty={
          Object.keys(search).length > 0 ? (
            <EmptyState title="Nothing found">No job matches these filters.</EmptyState>
          ) : (
            <EmptyState
              title="No jobs yet"
              action={
                reason === null && (
                  <Link to="/w/$slug/training/jobs/new" params={{ slug }} search={{}}>
                    Train a model
                  </Link>
                )
              }
            >
              Nobody has trained a model here. A job takes the examples of a dataset and shows what it costs before it
              starts.
            </EmptyState>
          )
        }
      />
    </Page>
  )
}

const columns: readonly Column<FineTuningJob>[] = [
  { id: 'name', header: 'Job', cell: (job) => <strong>{titleOf(job)}</strong> },
  { id: 'method', header: 'Trained', width: 140, cell: ({ method }) => methodText(method.type), onPhone: false },
  { id: 'status', header: 'Status', width: 150, cell: (job) => <Status job={job} /> },
  { id: 'progress', header: 'Progress', width: 90, isNumber: true, cell: progressText, onPhone: false },
  { id: 'cost', header: 'Cost', width: 100, isNumber: true, cell: (job) => moneyText(microOfUsd(job.cost_usd)) },
  {
    id: 'created',
    header: 'Created',
    width: 130,
    cell: (job) => <TimeText at={isoOfSeconds(job.created_at)} />,
    onPhone: false,
  },
]

function Status({ job }: { readonly job: FineTuningJob }): ReactNode {
  const { word, state } = statusOf(job)
  return <StateLabel state={state}>{word}</StateLabel>
}
