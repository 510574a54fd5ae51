import { type EnvironmentTool, listEnvironmentTools } from '@ratchet/contracts/environment-tools'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useList } from '../../../api/use-endpoint.ts'
import { Page } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { TrainingTabs } from '../training-tabs.tsx'
import { coverageState, kindText, shareText, statsText } from './tool-words.ts'

const route = getRouteApi('/w/$slug/training/tools')

/** What models may call in training runs. */
export function ToolsPage(): ReactNode {
  const reason = reasonAgainst('owner_admin', useWorkspace())
  return (
    <Page
      title="Environment tools"
      lead="What a model may call while it is trained. The service makes the calls, and asks for each one once."
      above={<TrainingTabs />}
    >
      {reason === null ? <Tools /> : <Notice state="none">{reason}</Notice>}
    </Page>
  )
}

function Tools(): ReactNode {
  const { slug } = route.useParams()
  const navigate = useNavigate({ from: '/w/$slug/training/tools' })
  const tools = useList(listEnvironmentTools)
  return (
    <ListTable
      label="Environment tools"
      list={tools}
      columns={columns}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: '/w/$slug/training/tools/$id', params: { slug, id } })}
      empty={
        <EmptyState title="No tools yet">
          The API and <code>ratchet tools create</code> make tools from an address or from fixed answers. Recorded ones
          come from calls in the log, with a measured coverage.
        </EmptyState>
      }
    />
  )
}

const columns: readonly Column<EnvironmentTool>[] = [
  { id: 'name', header: 'Tool', cell: ({ name }) => <strong>{name}</strong> },
  { id: 'kind', header: 'Answers from', width: 180, cell: kindText },
  { id: 'calls', header: 'Last calls', width: 180, cell: ({ stats }) => statsText(stats), onPhone: false },
  { id: 'found', header: 'Found', width: 110, cell: (tool) => <Found tool={tool} /> },
  { id: 'updated', header: 'Changed', width: 130, cell: (tool) => <TimeText at={tool.updated_at} />, onPhone: false },
]

/** In runs; until it was called, as it was measured when it was recorded. */
function Found({ tool: { stats, recorded } }: { readonly tool: EnvironmentTool }): ReactNode {
  const share = stats.hit_rate ?? recorded?.coverage_on_holdout ?? null
  return share === null ? '–' : <StateLabel state={coverageState(share)}>{shareText(share)}</StateLabel>
}
