import { Button } from '@mantine/core'
import { listInvitations, listMembers, type Member } from '@ratchet/contracts/dashboard/members'
import { type ReactNode, useState } from 'react'
import { useMe, useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Page } from '../../../kit/page.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { ChangeMember } from './change-member.tsx'
import { Invitations } from './invitations.tsx'
import { Invite } from './invite.tsx'
import { LeaveWorkspace } from './leave-workspace.tsx'
import { memberColumns } from './member-columns.tsx'
import { RemoveMember } from './remove-member.tsx'

export function MembersPage(): ReactNode {
  const workspace = useWorkspace()
  const { user } = useMe()
  const reason = reasonAgainst('owner', workspace)
  const members = useEndpoint(listMembers)
  const invitations = useEndpoint(listInvitations, {}, { enabled: reason === null })
  const [changes, setChanges] = useState<Member | null>(null)
  const [removes, setRemoves] = useState<Member | null>(null)
  const [invites, setInvites] = useState(false)
  useKey('create', () => setInvites(true), { enabled: reason === null })
  const invite = (
    <NotPermitted reason={reason}>
      {(disabled) => (
        <Button disabled={disabled} onClick={() => setInvites(true)}>
          Invite a person
        </Button>
      )}
    </NotPermitted>
  )
  return (
    <Page
      title="Members"
      lead="The API keys of a person have that person's role: they change with it, and end with the membership."
      actions={invite}
    >
      <Loaded query={members}>
        {({ data }) => (
          <DataTable
            label="Members"
            columns={memberColumns({
              isOff: reason !== null,
              ownId: user?.id ?? '',
              onChange: setChanges,
              onRemove: setRemoves,
            })}
            rows={data}
            rowKey={(member) => member.user_id}
          />
        )}
      </Loaded>
      {reason === null && <Loaded query={invitations}>{({ data }) => <Invitations invitations={data} />}</Loaded>}
      <LeaveWorkspace name={workspace.name} />
      <ChangeMember member={changes} onClose={() => setChanges(null)} />
      <RemoveMember member={removes} onClose={() => setRemoves(null)} />
      <Invite opened={invites} onClose={() => setInvites(false)} />
    </Page>
  )
}
