import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type AdminUser, changeUser, createResetLink, listAllUsers } from '@ratchet/contracts/dashboard/admin'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { z } from 'zod'
import { useAct } from '../../api/use-act.ts'
import { CodeBlock } from '../../kit/code-block.tsx'
import { Confirm } from '../../kit/dialogs/confirm.tsx'
import { Page } from '../../kit/page.tsx'
import { StateLabel } from '../../kit/state-mark.tsx'
import { ErrorState } from '../../kit/states/error-state.tsx'
import type { Column } from '../../kit/table/column.ts'
import { TimeText } from '../../kit/time-text.tsx'
import { toast } from '../../kit/toast.tsx'
import { AdminList } from './admin-list.tsx'
import { useAdminList } from './use-admin-list.ts'

type User = z.output<typeof AdminUser>

const route = getRouteApi('/admin/users')

export function UsersPage(): ReactNode {
  const { search } = route.useSearch()
  const navigate = useNavigate({ from: '/admin/users' })
  const query = useAdminList(listAllUsers, search)
  const [changed, setChanged] = useState<User | null>(null)
  const [disabled, setDisabled] = useState<User | null>(null)
  const [link, setLink] = useState<string | null>(null)
  const reset = useAct(createResetLink, {
    onDone: ({ link: made, mailed }) => {
      setLink(made)
      if (mailed) toast('The link is on its way to the person.')
    },
  })
  const columns = columnsOf({
    onChange: setChanged,
    onDisable: setDisabled,
    onReset: ({ id }) => reset.mutate({ params: { id } }),
  })
  return (
    <Page title="Users" lead="Everyone who can sign in, newest first. Operators may open these pages.">
      {reset.error && <ErrorState error={reset.error} />}
      <AdminList
        label="Users"
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        search={search}
        onSearch={(next) => void navigate({ search: next === undefined ? {} : { search: next } })}
      />
      <ChangeOperator user={changed} onClose={() => setChanged(null)} />
      <DisableUser user={disabled} onClose={() => setDisabled(null)} />
      <Modal opened={link !== null} onClose={() => setLink(null)} title="Send this link">
        <Stack gap={12}>
          <Text>With it the person chooses a new password. It works once, for a day.</Text>
          <CodeBlock code={link ?? ''} label="Link for a new password" />
          <Group justify="flex-end">
            <Button onClick={() => setLink(null)}>Done</Button>
          </Group>
        </Stack>
      </Modal>
    </Page>
  )
}

interface ChangeOperatorProps {
  readonly user: User | null
  readonly onClose: () => void
}

function ChangeOperator({ user, onClose }: ChangeOperatorProps): ReactNode {
  const act = useAct(changeUser, { changes: [listAllUsers], onDone: onClose })
  const isOperator = user?.operator === true
  return (
    <Confirm
      opened={user !== null}
      onClose={onClose}
      title={isOperator ? `End the right of ${user.name}?` : `Make ${user?.name ?? ''} an operator?`}
      verb={isOperator ? 'End the right' : 'Make an operator'}
      isRunning={act.isPending}
      error={act.error}
      onConfirm={() => user && act.mutate({ params: { id: user.id }, body: { operator: !user.operator } })}
    >
      <Text>
        {isOperator
          ? 'The person keeps their workspaces.'
          : 'Operators see all workspaces and users, credit wallets and make links for new passwords.'}
      </Text>
    </Confirm>
  )
}

function DisableUser({ user, onClose }: ChangeOperatorProps): ReactNode {
  const act = useAct(changeUser, { changes: [listAllUsers], onDone: onClose })
  const isDisabled = typeof user?.disabled_at === 'string'
  return (
    <Confirm
      opened={user !== null}
      onClose={onClose}
      title={`${isDisabled ? 'Enable' : 'Disable'} ${user?.name ?? ''}?`}
      verb={isDisabled ? 'Enable' : 'Disable'}
      isRunning={act.isPending}
      error={act.error}
      onConfirm={() => user && act.mutate({ params: { id: user.id }, body: { disabled: !isDisabled } })}
    >
      <Text>
        {isDisabled
          ? 'The person can sign in again, and their keys are valid again.'
          : 'The person is signed out everywhere and cannot sign in. Every request that begins afterwards with one of their keys is refused.'}
      </Text>
    </Confirm>
  )
}

interface UserActions {
  readonly onChange: (user: User) => void
  readonly onDisable: (user: User) => void
  readonly onReset: (user: User) => void
}

function columnsOf({ onChange, onDisable, onReset }: UserActions): readonly Column<User>[] {
  return [
    { id: 'name', header: 'Name', cell: ({ name }) => name },
    { id: 'email', header: 'E-mail', onPhone: false, cell: ({ email }) => email },
    {
      id: 'workspaces',
      header: 'Workspaces',
      onPhone: false,
      cell: ({ workspaces }) => workspaces.map(({ slug, role }) => `${slug} (${role})`).join(', '),
    },
    { id: 'operator', header: 'Operator', onPhone: false, cell: ({ operator }) => (operator ? 'yes' : 'no') },
    {
      id: 'state',
      header: 'State',
      cell: (user) => (user.disabled_at === null ? 'in use' : <StateLabel state="wrong">disabled</StateLabel>),
    },
    { id: 'made', header: 'Made', onPhone: false, cell: ({ created_at: at }) => <TimeText at={at} /> },
    {
      id: 'actions',
      header: '',
      cell: (user) => (
        <Group gap={2} wrap="wrap" justify="flex-end">
          <Button variant="subtle" aria-label={`Reset link for ${user.name}`} onClick={() => onReset(user)}>
            Reset link
          </Button>
          <Button
            variant="subtle"
            aria-label={`${user.operator ? 'End right' : 'Make operator'}: ${user.name}`}
            onClick={() => onChange(user)}
          >
            {user.operator ? 'End right' : 'Make operator'}
          </Button>
          <Button
            variant="subtle"
            aria-label={`${user.disabled_at === null ? 'Disable' : 'Enable'} ${user.name}`}
            onClick={() => onDisable(user)}
          >
            {user.disabled_at === null ? 'Disable' : 'Enable'}
          </Button>
        </Group>
      ),
    },
  ]
}
