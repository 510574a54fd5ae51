import { Text } from '@mantine/core'
import { listMembers, type Member, removeMember } from '@ratchet/contracts/dashboard/members'
import type { ReactNode } from 'react'
import { useAct } from '../../../api/use-act.ts'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { keysSentence } from './member-columns.tsx'

export function RemoveMember({
  member,
  onClose,
}: {
  readonly member: Member | null
  readonly onClose: () => void
}): ReactNode {
  const act = useAct(removeMember, { changes: [listMembers], onDone: onClose })
  return (
    <Confirm
      opened={member !== null}
      onClose={onClose}
      title={`Remove ${member?.name ?? ''}?`}
      verb="Remove"
      isRunning={act.isPending}
      error={act.error}
      onConfirm={() => member && act.mutate({ params: { user_id: member.user_id } })}
    >
      <Text>
        The person loses this workspace at once, on every device. {member && keysSentence(member, 'end with it')} Grades
        and evals of the person stay.
      </Text>
    </Confirm>
  )
}
