import { Button } from '@mantine/core'
import { type DedicatedEndpoint, listDedicatedEndpoints } from '@ratchet/contracts/dedicated'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { useKey } from '../../../keys/key-context.ts'
import { NextLink } from '../../../kit/next-link.tsx'
import { Page } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { TrainingTabs } from '../training-tabs.tsx'
import { isFollowed, replicasText, statusOf, usdText } from './endpoint-words.ts'

const route = getRouteApi('/w/$slug/training/endpoints')
const pollMs = 3_000

/** Replicas of models for this workspace alone. */
export function EndpointsPage(): ReactNode {
  const { slug } = route.useParams()
  const navigate = useNavigate({ from: '/w/$slug/training/endpoints' })
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const endpoints = useEndpoint(listDedicatedEndpoints)
  usePolling(endpoints.refetch, endpoints.data?.some(isFollowed) ?? false, pollMs)
  const create = () => void navigate({ to: '/w/$slug/training/endpoints/new', params: { slug }, search: {} })
  useKey('create', create, { enabled: reason === null })
  return (
    <Page
      title="Dedicated endpoints"
      lead="A model or a version on machines that answer only this workspace. Time is charged, requests are not."
      above={<TrainingTabs />}
      actions={
        <NotPermitted reason={reason}>
          {(disabled) => (
            <Button disabled={disabled} onClick={create}>
              New endpoint
            </Button>
          )}
        </NotPermitted>
      }
    >
      <Loaded query={endpoints}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              title="No endpoints yet"
              action={reason === null && <NextLink to="training/endpoints/new">Create an endpoint</NextLink>}
            >
              An endpoint keeps replicas of a model ready for your requests alone, and ends them when nobody asks.
            </EmptyState>
          ) : (
            <DataTable
              label="Dedicated endpoints"
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              onOpen={({ id }) =>
                void navigate({ to: '/w/$slug/training/endpoints/$id', params: { slug, id }, search: {} })
              }
            />
          )
        }
      </Loaded>
    </Page>
  )
}

const columns: readonly Column<DedicatedEndpoint>[] = [
  { id: 'name', header: 'Endpoint', cell: ({ name }) => <strong>{name}</strong> },
  { id: 'model', header: 'Model', width: 170, cell: ({ model }) => model, onPhone: false },
  { id: 'state', header: 'State', width: 160, cell: ({ state }) => <Status state={state} /> },
  { id: 'replicas', header: 'Replicas', width: 120, cell: replicasText, onPhone: false },
  { id: 'hour', header: 'Last hour', width: 100, isNumber: true, cell: ({ spend }) => usdText(spend.hour_usd) },
  {
    id: 'total',
    header: 'In all',
    width: 100,
    isNumber: true,
    cell: ({ spend }) => usdText(spend.total_usd),
    onPhone: false,
  },
  {
    id: 'asked',
    header: 'Last request',
    width: 130,
    cell: ({ last_request_at: at }) => <TimeText at={at} />,
    onPhone: false,
  },
]

function Status({ state }: Pick<DedicatedEndpoint, 'state'>): ReactNode {
  const { word, state: mark } = statusOf(state)
  return <StateLabel state={mark}>{word}</StateLabel>
}
