import { Button, Group, Text, TextInput } from '@mantine/core'
import { listPasskeys, removePasskey } from '@ratchet/contracts/dashboard/sign-in'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { withFreshSignIn } from '../../api/fresh-sign-in.ts'
import { addPasskey, canUsePasskeys } from '../../api/passkeys.ts'
import { useAct } from '../../api/use-act.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Card } from '../../kit/page.tsx'
import { ErrorState } from '../../kit/states/error-state.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { TimeText } from '../../kit/time-text.tsx'
import styles from './account.module.css'

export function Passkeys(): ReactNode {
  const passkeys = useEndpoint(listPasskeys)
  const remove = useAct(removePasskey, { changes: [listPasskeys] })
  return (
    <Card title="Passkeys">
      {remove.error && <ErrorState error={remove.error} />}
      <Loaded query={passkeys}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">A passkey signs you in without a password, and cannot be phished.</Text>
          ) : (
            data.map(({ id, name, created_at: at }) => (
              <div className={styles.row} key={id}>
                <span>{name ?? 'Passkey'}</span>
                <span>
                  <TimeText at={at} empty="" />{' '}
                  <Button
                    variant="subtle"
                    color="red"
                    onClick={() => remove.mutate({ params: { id } })}
                    aria-label={`Remove the passkey ${name ?? ''}`}
                  >
                    Remove
                  </Button>
                </span>
              </div>
            ))
          )
        }
      </Loaded>
      <AddPasskey />
    </Card>
  )
}

function AddPasskey(): ReactNode {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const add = useMutation({
    mutationFn: () => withFreshSignIn(() => addPasskey(name.trim() || 'Passkey')),
    onSuccess: () => queries.invalidateQueries({ queryKey: [listPasskeys.path] }),
  })
  if (!canUsePasskeys()) {
    return (
      <Text c="dimmed" mt={8}>
        This browser, or a page without https, cannot make passkeys.
      </Text>
    )
  }
  return (
    <>
      <Group gap={8} mt={12} align="flex-end">
        <TextInput
          label="Name of a new passkey"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button variant="default" loading={add.isPending} onClick={() => add.mutate()}>
          Add a passkey
        </Button>
      </Group>
      {add.error && <ErrorState error={add.error} />}
    </>
  )
}
