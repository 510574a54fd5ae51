import { Select } from '@mantine/core'
import { type CallStatus, callStatuses } from '@ratchet/contracts/voice/calls'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../../../kit/page.tsx'
import { statusOf } from '../call-words.ts'
import { VoiceTabs } from '../voice-tabs.tsx'
import { CallsTable } from './calls-table.tsx'

const route = getRouteApi('/w/$slug/voice/calls')

/** The calls of all agents. */
export function CallsPage(): ReactNode {
  const { slug } = route.useParams()
  const { agent_id: agentId, status: named } = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/voice/calls' })
  const status = callStatuses.find((each) => each === named)
  const choose = (chosen: string | null) => {
    const search = {
      ...(agentId === undefined ? {} : { agent_id: agentId }),
      ...(chosen === null ? {} : { status: chosen }),
    }
    void navigate({ to: '/w/$slug/voice/calls', params: { slug }, search })
  }
  return (
    <Page
      title="Calls"
      lead="What was said, what it cost, how long callers waited, and what judges say."
      above={<VoiceTabs />}
      actions={
        <Select
          aria-label="Status"
          placeholder="All calls"
          clearable
          value={status ?? null}
          onChange={choose}
          data={callStatuses.map((value: CallStatus) => ({ value, label: statusOf({ status: value }).word }))}
        />
      }
    >
      <CallsTable
        query={{ ...(agentId === undefined ? {} : { agent_id: agentId }), ...(status === undefined ? {} : { status }) }}
      />
    </Page>
  )
}
