import { getMyAgent, getMyAgentCanary } from '@ratchet/contracts/session-voice'
import type { Agent } from '@ratchet/contracts/voice/agents'
import type { AgentCanary, canaryStates } from '@ratchet/contracts/voice/canaries'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { AboveList } from '../../../kit/above.tsx'
import { CopyText } from '../../../kit/copy-text.tsx'
import { Facts } from '../../../kit/facts.tsx'
import { Card, Page } from '../../../kit/page.tsx'
import { type State, StateLabel } from '../../../kit/state-mark.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { CallsTable } from '../calls/calls-table.tsx'
import styles from '../voice.module.css'
import { AgentActions } from './agent-actions.tsx'
import { CallPart } from './call-part.tsx'
import { VersionsPart } from './versions-part.tsx'

const route = getRouteApi('/w/$slug/voice/agents/$id')

/** An agent: what it is, its canary, its calls; and a call with it. */
export function AgentPage(): ReactNode {
  const { id } = route.useParams()
  const found = useEndpoint(getMyAgent, { params: { id } })
  return (
    <Page
      title={found.data?.name ?? 'Voice agent'}
      lead={<CopyText text={id} label="Copy the id of the agent" />}
      above={<AboveList of="voice" />}
      actions={found.data !== undefined && <AgentActions agent={found.data} />}
    >
      <Loaded query={found}>
        {(agent) => (
          <div className={styles.parts}>
            <div className={styles.pair}>
              <CallPart agent={agent} />
              <AgentFacts agent={agent} />
            </div>
            {agent.canary_version !== null && <CanaryPart id={id} />}
            <VersionsPart id={id} />
            <Card title="Calls">
              <CallsTable query={{ agent_id: id }} />
            </Card>
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function AgentFacts({ agent }: { readonly agent: Agent }): ReactNode {
  return (
    <Card title="What it is">
      <Facts
        facts={[
          ['Version', agent.published_version === null ? 'none is published' : String(agent.published_version)],
          ['Newest version', String(agent.version)],
          ['Model', agent.model],
          ['Voice', agent.voice],
          ['Language', agent.language],
          ['First message', agent.first_message ?? 'none'],
          ['Judges', agent.criterion_ids.length === 0 ? 'none' : agent.criterion_ids.join(', ')],
          ['Changed', <TimeText key="at" at={agent.updated_at} />],
        ]}
      />
    </Card>
  )
}

const marks: Readonly<Record<(typeof canaryStates)[number], State>> = {
  paused: 'none',
  collecting: 'open',
  healthy: 'open',
  promote_ready: 'proven',
  promoted: 'proven',
  rollback_recommended: 'wrong',
  rolled_back: 'wrong',
  inconclusive: 'borderline',
  starved: 'borderline',
  expired: 'borderline',
}

/** The last canary of an agent. */
function CanaryPart({ id }: { readonly id: string }): ReactNode {
  const { data: canary } = useEndpoint(getMyAgentCanary, { params: { id } })
  if (canary === undefined) return null
  const { version, percent, target_version: target, state, reason, arms } = canary
  return (
    <Card title={`Canary: version ${version} against ${target}`}>
      <div className={styles.parts}>
        <StateLabel state={marks[state] ?? 'none'}>{state.replaceAll('_', ' ')}</StateLabel>
        <p style={{ margin: 0 }}>
          {percent} % of new calls get version {version}. {reason}
        </p>
        <DataTable
          label="Arms of the canary"
          columns={armColumns}
          rows={[arms.target, arms.canary]}
          rowKey={(arm) => String(arm.version)}
        />
      </div>
    </Card>
  )
}

type Arm = AgentCanary['arms']['target']

const armColumns: readonly Column<Arm>[] = [
  { id: 'version', header: 'Version', cell: ({ version }) => `Version ${version}` },
  { id: 'calls', header: 'Calls', width: 80, isNumber: true, cell: ({ calls }) => calls },
  { id: 'short', header: 'Short', width: 80, isNumber: true, cell: ({ short }) => short, onPhone: false },
  { id: 'scored', header: 'Judged', width: 80, isNumber: true, cell: ({ scored }) => scored, onPhone: false },
  { id: 'fails', header: 'Failed', width: 80, isNumber: true, cell: ({ fails }) => fails },
]
