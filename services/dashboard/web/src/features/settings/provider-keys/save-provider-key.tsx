import { Button, Group, Modal, PasswordInput, Select, Stack, TextInput } from '@mantine/core'
import { listProviderKeys, type ProviderKey, saveProviderKey } from '@ratchet/contracts/dashboard/provider-keys'
import { type ListedProvider, listProviders } from '@ratchet/contracts/session-providers'
import type { ReactNode } from 'react'
import { z } from 'zod'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { toast } from '../../../kit/toast.tsx'
import { showErrorAt, useContractForm } from '../../../kit/use-contract-form.ts'

const Values = z.object({
  provider: saveProviderKey.params.shape.provider,
  key: saveProviderKey.body.shape.key,
  base_url: z.string().max(500),
})

interface SaveProviderKeyProps {
  /** The key to replace; `new` for another provider; null when the dialog is closed. */
  readonly edited: ProviderKey | 'new' | null
  readonly onClose: () => void
}

export function SaveProviderKey({ edited, onClose }: SaveProviderKeyProps): ReactNode {
  const old = edited === 'new' ? null : edited
  return (
    <Modal
      opened={edited !== null}
      onClose={onClose}
      title={old === null ? 'Add a provider key' : `Replace the key for ${old.provider}`}
    >
      {edited !== null && <SaveForm old={old} onClose={onClose} />}
    </Modal>
  )
}

function SaveForm({ old, onClose }: { readonly old: ProviderKey | null; readonly onClose: () => void }): ReactNode {
  const form = useContractForm(Values, { provider: old?.provider ?? '', key: '', base_url: old?.base_url ?? '' })
  const providers = useEndpoint(listProviders)
  const act = useAct(saveProviderKey, {
    changes: [listProviderKeys],
    onDone: ({ provider }) => {
      onClose()
      toast(`The key for ${provider} is saved.`)
    },
  })
  const send = form.onSubmit(({ provider, key, base_url: url }) =>
    act.mutate(
      { params: { provider }, body: { key, base_url: url === '' ? null : url } },
      { onError: (error) => showErrorAt(form, error) },
    ),
  )
  return (
    <form onSubmit={send}>
      <Stack gap={12}>
        <Select
          label="Provider"
          description="Its name in model ids: openai in openai/gpt-4o."
          required
          searchable
          disabled={old !== null}
          data={providerChoices(providers.data?.data ?? [], old)}
          nothingFoundMessage="There is no such provider."
          {...form.getInputProps('provider')}
        />
        <PasswordInput label="Key" autoComplete="off" data-autofocus required {...form.getInputProps('key')} />
        <TextInput
          label="Base URL"
          description="Empty for the address of the provider."
          {...form.getInputProps('base_url')}
        />
        {(act.error ?? providers.error) && <ErrorState error={act.error ?? providers.error} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={act.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** A key that was saved for a provider that the catalog does not have any more can still be replaced. */
function providerChoices(providers: readonly ListedProvider[], old: ProviderKey | null) {
  const known = providers.map(({ id, name }) => ({ value: id, label: name === id ? id : `${id} (${name})` }))
  if (old === null || known.some(({ value }) => value === old.provider)) return known
  return [...known, { value: old.provider, label: old.provider }]
}
