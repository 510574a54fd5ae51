import { type DedicatedEndpoint, getDedicatedEndpoint } from '@ratchet/contracts/dedicated'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { AboveList } from '../../../kit/above.tsx'
import { CodeBlock } from '../../../kit/code-block.tsx'
import { CopyText } from '../../../kit/copy-text.tsx'
import { Facts } from '../../../kit/facts.tsx'
import { count, countOf } from '../../../kit/numbers.ts'
import { Card, Page } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import styles from '../training.module.css'
import { EndpointActions } from './endpoint-actions.tsx'
import {
  coldStartText,
  isFollowed,
  type Replica,
  replicasText,
  requestsText,
  scaleText,
  stateOfReplica,
  statusOf,
} from './endpoint-words.ts'
import { EventsPart } from './events-part.tsx'
import { MetricsPart } from './metrics-part.tsx'
import { NamesPart } from './names-part.tsx'
import { SpendPart } from './spend-part.tsx'

const route = getRouteApi('/w/$slug/training/endpoints/$id')
const pollMs = 2_000

/** An endpoint: its state, its replicas, what it costs, and what happened. */
export function EndpointPage(): ReactNode {
  const { id } = route.useParams()
  const found = useEndpoint(getDedicatedEndpoint, { params: { id } })
  usePolling(found.refetch, found.data !== undefined && isFollowed(found.data), pollMs)
  return (
    <Page
      title={found.data?.name ?? 'Dedicated endpoint'}
      lead={<CopyText text={found.data?.model_id ?? id} label="Copy the name that requests use" />}
      above={<AboveList of="training/endpoints" />}
      actions={found.data && <EndpointActions endpoint={found.data} />}
    >
      <Loaded query={found}>{(endpoint) => <Parts endpoint={endpoint} />}</Loaded>
    </Page>
  )
}

interface EndpointProps {
  readonly endpoint: DedicatedEndpoint
}

function Parts({ endpoint }: EndpointProps): ReactNode {
  return (
    <div className={styles.parts}>
      <div className={styles.pair}>
        <StatePart endpoint={endpoint} />
        <SpendPart endpoint={endpoint} />
      </div>
      <ReplicasPart endpoint={endpoint} />
      <NamesPart endpoint={endpoint} />
      <MetricsPart endpoint={endpoint} />
      <EventsPart endpoint={endpoint} />
      <UsePart endpoint={endpoint} />
    </div>
  )
}

function StatePart({ endpoint }: EndpointProps): ReactNode {
  const { status_message: message, last_error: error, requests } = endpoint
  const { word, state } = statusOf(endpoint.state)
  const answer = requestsText(endpoint)
  return (
    <Card title="State">
      <div className={styles.parts}>
        <div aria-live="polite">
          <StateLabel state={state}>{word}</StateLabel>
        </div>
        {message !== null && <Notice state={state}>{message}</Notice>}
        {answer !== null && <p style={{ margin: 0 }}>{answer}</p>}
        {error !== null && <Notice state="wrong">The last replica that failed: {error}</Notice>}
        <Facts
          facts={[
            ['Model', endpoint.model_version_id === null ? endpoint.model : `a version of ${endpoint.model}`],
            ['Hardware', endpoint.hardware],
            ['Replicas', scaleText(endpoint)],
            ['Now', `${countOf(requests.running, 'request')}, and ${count(requests.waiting)} that wait`],
            ['A start takes', coldStartText(endpoint)],
            ['Longest request', `${count(endpoint.max_context_length)} tokens`],
            ['Last request', <TimeText key="asked" at={endpoint.last_request_at} />],
            ['Created', <TimeText key="at" at={endpoint.created_at} />],
          ]}
        />
      </div>
    </Card>
  )
}

function ReplicasPart({ endpoint }: EndpointProps): ReactNode {
  const { replicas } = endpoint
  return (
    <Card title={`Replicas: ${replicas.length === 0 ? 'none' : replicasText(endpoint)}`}>
      {replicas.length === 0 ? (
        <p className="dimmed">Nothing runs, so nothing is charged.</p>
      ) : (
        <DataTable label="Replicas" columns={columns} rows={replicas} rowKey={({ id }) => id} />
      )}
    </Card>
  )
}

const columns: readonly Column<Replica>[] = [
  { id: 'id', header: 'Replica', cell: ({ id }) => <CopyText text={id} label="Copy the id of the replica" /> },
  {
    id: 'state',
    header: 'State',
    width: 130,
    cell: ({ state }) => <StateLabel state={stateOfReplica(state)}>{state}</StateLabel>,
  },
  { id: 'made', header: 'Created', width: 130, cell: ({ created_at: at }) => <TimeText at={at} />, onPhone: false },
  {
    id: 'ready',
    header: 'Charged since',
    width: 130,
    cell: ({ ready_since: at }) => <TimeText at={at} empty="not yet" />,
    onPhone: false,
  },
]

function UsePart({ endpoint: { model_id: model } }: EndpointProps): ReactNode {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
  const code = `curl ${window.location.origin}/v1/chat/completions \\
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\
  -d '${body}'`
  return (
    <Card title="How to use it">
      <div className={styles.parts}>
        <p className="dimmed" style={{ margin: 0 }}>
          Requests that name it reach only its replicas. They are not charged and not logged, and no alias leads to it.
        </p>
        <CodeBlock code={code} label="A request with curl" />
      </div>
    </Card>
  )
}
