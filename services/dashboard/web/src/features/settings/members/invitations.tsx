import { Button } from '@mantine/core'
import { type Invitation, listInvitations, withdrawInvitation } from '@ratchet/contracts/dashboard/members'
import type { ReactNode } from 'react'
import { useAct } from '../../../api/use-act.ts'
import { Card } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'

/** Invitations that are still open. */
export function Invitations({ invitations }: { readonly invitations: readonly Invitation[] }): ReactNode {
  const act = useAct(withdrawInvitation, { changes: [listInvitations] })
  if (invitations.length === 0) return null
  return (
    <Card title="Open invitations">
      {act.error && <ErrorState error={act.error} />}
      <DataTable
        label="Open invitations"
        rows={invitations}
        rowKey={({ id }) => id}
        columns={[
          { id: 'email', header: 'E-mail', cell: ({ email }) => email },
          { id: 'role', header: 'Role', cell: ({ role }) => role },
          { id: 'by', header: 'Invited by', cell: (each) => each.invited_by ?? 'a former member', onPhone: false },
          { id: 'expires', header: 'Ends', cell: (each) => <TimeText at={each.expires_at} />, onPhone: false },
          {
            id: 'actions',
            header: '',
            width: 110,
            cell: ({ id, email }) => (
              <Button
                variant="subtle"
                color="red"
                loading={act.isPending && act.variables.params?.id === id}
                onClick={() => act.mutate({ params: { id } })}
                aria-label={`Withdraw the invitation of ${email}`}
              >
                Withdraw
              </Button>
            ),
          },
        ]}
      />
    </Card>
  )
}
