import { Text } from '@mantine/core'
import { type ApiKey, listApiKeys, revokeApiKey } from '@ratchet/contracts/dashboard/keys'
import type { ReactNode } from 'react'
import { useAct } from '../../../api/use-act.ts'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { toast } from '../../../kit/toast.tsx'

interface RevokeKeyProps {
  readonly apiKey: ApiKey | null
  readonly onClose: () => void
}

export function RevokeKey({ apiKey, onClose }: RevokeKeyProps): ReactNode {
  const act = useAct(revokeApiKey, {
    changes: [listApiKeys],
    onDone: ({ name }) => {
      onClose()
      toast(`${name} is revoked.`)
    },
  })
  return (
    <Confirm
      opened={apiKey !== null}
      onClose={onClose}
      title={`Revoke ${apiKey?.name ?? ''}?`}
      verb="Revoke"
      isRunning={act.isPending}
      error={act.error}
      onConfirm={() => apiKey && act.mutate({ params: { id: apiKey.id } })}
    >
      <Text>
        Every request that begins after this is refused. Requests that already run end as usual. This cannot be undone.
      </Text>
    </Confirm>
  )
}
