import type { DedicatedEndpoint } from '@ratchet/contracts/dedicated'
import type { ReactNode } from 'react'
import { CopyText } from '../../../kit/copy-text.tsx'
import { Card } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { stateOfRoute } from './endpoint-words.ts'

type Route = DedicatedEndpoint['routes'][number]

/** The adapters of an endpoint, each under the name that requests use. Nothing for one without any. */
export function NamesPart({ endpoint: { routes } }: { readonly endpoint: DedicatedEndpoint }): ReactNode {
  const adapters = routes.slice(1)
  if (adapters.length === 0) return null
  return (
    <Card title="Adapters, each under a name of its own">
      <DataTable label="Adapters" columns={columns} rows={adapters} rowKey={({ routing_key: key }) => key} />
    </Card>
  )
}

const columns: readonly Column<Route>[] = [
  {
    id: 'name',
    header: 'Name in requests',
    cell: ({ model_id: name }) => <CopyText text={name} label="Copy the name that requests use" />,
  },
  {
    id: 'state',
    header: 'Answers',
    width: 170,
    cell(route) {
      const { word, state } = stateOfRoute(route)
      return <StateLabel state={state}>{word}</StateLabel>
    },
  },
  {
    id: 'version',
    header: 'Version',
    width: 220,
    cell: ({ model_version_id: id }) => (id === null ? '–' : <CopyText text={id} label="Copy the id of the version" />),
    onPhone: false,
  },
]
