import { Button } from '@mantine/core'
import { getMyAgent, listMyAgents, listMyAgentVersions, publishMyAgentVersion } from '@ratchet/contracts/session-voice'
import type { AgentVersion } from '@ratchet/contracts/voice/agents'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useList } from '../../../api/use-endpoint.ts'
import { Card } from '../../../kit/page.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { toast } from '../../../kit/toast.tsx'

/** The versions of an agent, of which any can be published. */
export function VersionsPart({ id }: { readonly id: string }): ReactNode {
  const versions = useList(listMyAgentVersions, { params: { id } })
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const act = useAct(publishMyAgentVersion, {
    changes: [getMyAgent, listMyAgents, listMyAgentVersions],
    onDone: ({ published_version: published }) => toast(`Calls use version ${published} now.`),
  })
  const publish = ({ version }: AgentVersion) => act.mutate({ params: { id, version: String(version) } })
  const columns: readonly Column<AgentVersion>[] = [
    { id: 'version', header: 'Version', width: 90, cell: ({ version }) => <strong>{version}</strong> },
    { id: 'model', header: 'Model', cell: ({ model }) => model, onPhone: false },
    { id: 'made', header: 'Made', width: 130, cell: ({ created_at: at }) => <TimeText at={at} /> },
    {
      id: 'use',
      header: 'Use',
      width: 120,
      cell: (each) =>
        each.is_published ? (
          'calls use it'
        ) : (
          <Button
            size="compact-sm"
            variant="default"
            disabled={reason !== null || act.isPending}
            aria-label={`Publish version ${each.version}`}
            onClick={() => publish(each)}
          >
            Publish
          </Button>
        ),
    },
  ]
  return (
    <Card title="Versions">
      {act.error && <ErrorState error={act.error} />}
      <ListTable
        list={versions}
        label="Versions of the agent"
        columns={columns}
        rowKey={({ version }) => String(version)}
        empty={<EmptyState title="No versions">Each change of the agent makes one.</EmptyState>}
      />
    </Card>
  )
}
