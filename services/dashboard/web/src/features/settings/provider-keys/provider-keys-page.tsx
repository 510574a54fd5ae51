import { Button, Group, Text } from '@mantine/core'
import { listProviderKeys, type ProviderKey, removeProviderKey } from '@ratchet/contracts/dashboard/provider-keys'
import { listProviders, testProviderKey } from '@ratchet/contracts/session-providers'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { count } from '../../../kit/numbers.ts'
import { Page } from '../../../kit/page.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { KeyTest } from './key-test.tsx'
import { SaveProviderKey } from './save-provider-key.tsx'

export function ProviderKeysPage(): ReactNode {
  const keys = useEndpoint(listProviderKeys)
  const providers = useEndpoint(listProviders)
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const [saves, setSaves] = useState<ProviderKey | 'new' | null>(null)
  const [removes, setRemoves] = useState<ProviderKey | null>(null)
  const test = useAct(testProviderKey)
  useKey('create', () => setSaves('new'), { enabled: reason === null })
  const add = (
    <NotPermitted reason={reason}>
      {(disabled) => (
        <Button disabled={disabled} onClick={() => setSaves('new')}>
          Add a provider key
        </Button>
      )}
    </NotPermitted>
  )
  return (
    <Page
      title="Provider keys"
      lead="Keys of your own accounts at providers. They are stored encrypted, used for the requests of this workspace, and never shown again."
      actions={add}
    >
      <Loaded query={keys}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No provider keys" action={add}>
              Requests use the keys of this installation.
            </EmptyState>
          ) : (
            <DataTable
              label="Provider keys"
              columns={columnsOf({
                isOff: reason !== null,
                requestsOf: (provider) => providers.data?.data.find(({ id }) => id === provider)?.requests_7d,
                tested: test.isPending ? (test.variables.params?.provider ?? null) : null,
                onTest: ({ provider }) => test.mutate({ params: { provider } }),
                onReplace: setSaves,
                onRemove: setRemoves,
              })}
              rows={data}
              rowKey={({ provider }) => provider}
            />
          )
        }
      </Loaded>
      <div aria-live="polite">
        <KeyTest result={test.data} error={test.error} />
      </div>
      <SaveProviderKey edited={saves} onClose={() => setSaves(null)} />
      <RemoveProviderKey removed={removes} onClose={() => setRemoves(null)} />
    </Page>
  )
}

interface KeyActions {
  readonly isOff: boolean
  /** In the last seven days; undefined until it is known. */
  readonly requestsOf: (provider: string) => number | undefined
  /** The provider whose key is being tested; null for none. */
  readonly tested: string | null
  readonly onTest: (key: ProviderKey) => void
  readonly onReplace: (key: ProviderKey) => void
  readonly onRemove: (key: ProviderKey) => void
}

function columnsOf(actions: KeyActions): readonly Column<ProviderKey>[] {
  const { isOff, requestsOf, tested, onTest, onReplace, onRemove } = actions
  return [
    { id: 'provider', header: 'Provider', cell: ({ provider }) => provider },
    { id: 'key', header: 'Ends with', cell: ({ display }) => <span className="code">{display}</span> },
    {
      id: 'url',
      header: 'Base URL',
      cell: (key) => key.base_url ?? <span className="dimmed">of the provider</span>,
      onPhone: false,
    },
    {
      id: 'requests',
      header: 'Requests, 7 d',
      cell: ({ provider }) => requestsText(requestsOf(provider)),
      onPhone: false,
    },
    { id: 'updated', header: 'Saved', cell: (key) => <TimeText at={key.updated_at} />, onPhone: false },
    {
      id: 'actions',
      header: '',
      cell: (key) => (
        <Group gap={2} justify="flex-end">
          <Button
            variant="subtle"
            disabled={isOff || tested !== null}
            loading={tested === key.provider}
            aria-label={`Test the key for ${key.provider}`}
            onClick={() => onTest(key)}
          >
            Test
          </Button>
          <Button variant="subtle" disabled={isOff} onClick={() => onReplace(key)}>
            Replace
          </Button>
          <Button variant="subtle" color="red" disabled={isOff} onClick={() => onRemove(key)}>
            Remove
          </Button>
        </Group>
      ),
    },
  ]
}

function requestsText(requests: number | undefined): string {
  return requests === undefined ? '…' : count(requests)
}

function RemoveProviderKey({
  removed,
  onClose,
}: {
  readonly removed: ProviderKey | null
  readonly onClose: () => void
}): ReactNode {
  const act = useAct(removeProviderKey, { changes: [listProviderKeys], onDone: onClose })
  return (
    <Confirm
      opened={removed !== null}
      onClose={onClose}
      title={`Remove the key for ${removed?.provider ?? ''}?`}
      verb="Remove"
      isRunning={act.isPending}
      error={act.error}
      onConfirm={() => removed && act.mutate({ params: { provider: removed.provider } })}
    >
      <Text>Requests to this provider use the key of the installation again, if it has one.</Text>
    </Confirm>
  )
}
