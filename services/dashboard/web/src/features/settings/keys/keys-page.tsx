import { Button } from '@mantine/core'
import { type ApiKey, listApiKeys } from '@ratchet/contracts/dashboard/keys'
import { type ReactNode, useState } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Page } from '../../../kit/page.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { ChangeKey } from './change-key.tsx'
import { CreateKey } from './create-key.tsx'
import { keyColumns } from './key-columns.tsx'
import { RevokeKey } from './revoke-key.tsx'

export function KeysPage(): ReactNode {
  const keys = useEndpoint(listApiKeys)
  const [creates, setCreates] = useState(false)
  const [changes, setChanges] = useState<ApiKey | null>(null)
  const [revokes, setRevokes] = useState<ApiKey | null>(null)
  useKey('create', () => setCreates(true))
  const create = <Button onClick={() => setCreates(true)}>Create a key</Button>
  return (
    <Page
      title="API keys"
      lead="A key acts with the role that its user has at the time of a request. To replace one, create another, move to it, and revoke the old one."
      actions={create}
    >
      <Loaded query={keys}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No keys yet" action={create}>
              A program needs a key to send requests. You see it once, when it is made.
            </EmptyState>
          ) : (
            <DataTable
              label="API keys"
              columns={keyColumns({ onChange: setChanges, onRevoke: setRevokes })}
              rows={data}
              rowKey={({ id }) => id}
            />
          )
        }
      </Loaded>
      <CreateKey opened={creates} onClose={() => setCreates(false)} />
      <ChangeKey apiKey={changes} onClose={() => setChanges(null)} />
      <RevokeKey apiKey={revokes} onClose={() => setRevokes(null)} />
    </Page>
  )
}
