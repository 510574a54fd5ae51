import { Button } from '@mantine/core'
import { listMyAgents } from '@ratchet/contracts/session-voice'
import type { Agent } from '@ratchet/contracts/voice/agents'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useList } from '../../../api/use-endpoint.ts'
import { CodeBlock } from '../../../kit/code-block.tsx'
import { Page } from '../../../kit/page.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { VoiceTabs } from '../voice-tabs.tsx'

const route = getRouteApi('/w/$slug/voice')

/** The voice agents of the workspace. */
export function AgentsPage(): ReactNode {
  const { slug } = route.useParams()
  const navigate = useNavigate({ from: '/w/$slug/voice' })
  const agents = useList(listMyAgents)
  return (
    <Page
      title="Voice agents"
      lead="Agents that hold calls. Each change makes a version; calls use the one that is published."
      above={<VoiceTabs />}
      actions={<NewAgent onOpen={() => void navigate({ to: '/w/$slug/voice/agents/new', params: { slug } })} />}
    >
      <ListTable
        list={agents}
        label="Voice agents"
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/w/$slug/voice/agents/$id', params: { slug, id }, search: {} })}
        empty={
          <EmptyState title="No agents yet" action={<CodeBlock code={example} label="Create an agent with curl" />}>
            Create one here, or by the voice interface with a key that begins with ck_live_.
          </EmptyState>
        }
      />
    </Page>
  )
}

function NewAgent({ onOpen }: { readonly onOpen: () => void }): ReactNode {
  const reason = reasonAgainst('owner_admin', useWorkspace())
  return (
    <NotPermitted reason={reason}>
      {(disabled) => (
        <Button disabled={disabled} onClick={onOpen}>
          New agent
        </Button>
      )}
    </NotPermitted>
  )
}

const example = `curl $VOICE_BASE_URL/v1/agents -H "X-API-Key: $VOICE_KEY" -H "Content-Type: application/json" \\
  -d '{"name": "Reception", "system_prompt": "You answer the telephone.", "language": "en-US", "voice": "sim/readable", "model": "sim/assistant"}'`

const columns: readonly Column<Agent>[] = [
  { id: 'name', header: 'Agent', cell: ({ name }) => <strong>{name}</strong> },
  { id: 'model', header: 'Model', width: 180, cell: ({ model }) => model, onPhone: false },
  { id: 'voice', header: 'Voice', width: 150, cell: ({ voice }) => voice, onPhone: false },
  { id: 'language', header: 'Language', width: 100, cell: ({ language }) => language, onPhone: false },
  { id: 'version', header: 'Version', width: 90, isNumber: true, cell: versionText },
  { id: 'changed', header: 'Changed', width: 130, cell: ({ updated_at: at }) => <TimeText at={at} />, onPhone: false },
]

/** The published version, and a newer draft behind it. */
function versionText({ version, published_version: published }: Agent): string {
  if (published === null) return `draft ${version}`
  return published === version ? String(version) : `${published}, draft ${version}`
}
