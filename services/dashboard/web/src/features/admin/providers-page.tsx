import { listAllProviders } from '@ratchet/contracts/dashboard/admin-limits'
import type { InstalledProvider } from '@ratchet/contracts/internal-providers'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { count, percent } from '../../kit/numbers.ts'
import { Page } from '../../kit/page.tsx'
import { StateLabel } from '../../kit/state-mark.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import type { Column } from '../../kit/table/column.ts'
import { DataTable } from '../../kit/table/data-table.tsx'
import { FreshOnly } from './fresh-only.tsx'
import { signInAgainFor } from './sign-in-again-for.ts'

type Provider = z.output<typeof InstalledProvider>

/** The providers of the installation. Their keys are settings of the inference processes. */
export function ProvidersPage(): ReactNode {
  const providers = useEndpoint(listAllProviders)
  return (
    <Page
      title="Providers"
      lead="The providers of the catalog, with the requests of all workspaces in the last 24 hours. Keys of the installation are in the settings of its processes."
    >
      <FreshOnly signInAgain={signInAgainFor(providers)}>
        <Loaded query={providers}>
          {({ data }) => <DataTable label="Providers" columns={columns} rows={data} rowKey={({ id }) => id} />}
        </Loaded>
      </FreshOnly>
    </Page>
  )
}

const columns: readonly Column<Provider>[] = [
  { id: 'name', header: 'Provider', cell: ({ id, name }) => (name === id ? id : `${name} (${id})`) },
  {
    id: 'key',
    header: 'Key',
    cell: ({ installation_key: has }) =>
      has ? <StateLabel state="proven">set</StateLabel> : <StateLabel state="none">not set</StateLabel>,
  },
  { id: 'models', header: 'Models', onPhone: false, cell: modelsText },
  {
    id: 'ejected',
    header: 'Ejected',
    isNumber: true,
    onPhone: false,
    cell: ({ ejected_deployments: ejected }) =>
      ejected === 0 ? '0' : <StateLabel state="wrong">{count(ejected)}</StateLabel>,
  },
  { id: 'answered', header: 'Answered', isNumber: true, onPhone: false, cell: (row) => count(row.answered) },
  { id: 'failed', header: 'Failed', isNumber: true, cell: failedText },
]

/** The number of models, and the form of the names of others. */
function modelsText({ models, name_patterns: patterns }: Provider): string {
  const counted = models === 0 && patterns.length > 0 ? [] : [count(models)]
  return [...counted, ...patterns].join(', ')
}

function failedText({ answered, failed }: Provider): string {
  return failed === 0 ? '0' : `${count(failed)} (${percent(failed / (answered + failed))})`
}
