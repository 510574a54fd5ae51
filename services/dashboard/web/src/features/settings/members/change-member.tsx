import { Button, Group, Modal, Radio, Stack, Switch, Text } from '@mantine/core'
import { changeMember, listMembers, type Member } from '@ratchet/contracts/dashboard/members'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../../api/use-act.ts'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { toast } from '../../../kit/toast.tsx'
import { keysSentence } from './member-columns.tsx'
import { roles } from './roles.ts'

export function ChangeMember({
  member,
  onClose,
}: {
  readonly member: Member | null
  readonly onClose: () => void
}): ReactNode {
  return (
    <Modal opened={member !== null} onClose={onClose} title={`Role of ${member?.name ?? ''}`}>
      {member && <ChangeForm member={member} onClose={onClose} key={member.user_id} />}
    </Modal>
  )
}

function ChangeForm({ member, onClose }: { readonly member: Member; readonly onClose: () => void }): ReactNode {
  const [role, setRole] = useState(member.role)
  const [mayGrade, setMayGrade] = useState(member.may_grade)
  const act = useAct(changeMember, {
    changes: [listMembers],
    onDone: ({ name }) => {
      onClose()
      toast(`${name} is changed.`)
    },
  })
  const isSame = role === member.role && mayGrade === member.may_grade
  return (
    <Stack gap={14}>
      <Radio.Group label="Role" value={role} onChange={(value) => setRole(value as Member['role'])}>
        <Stack gap={8} mt={6}>
          {roles.map(({ value, label, description }) => (
            <Radio key={value} value={value} label={label} description={description} />
          ))}
        </Stack>
      </Radio.Group>
      <Switch
        label="May grade"
        description="Owners and admins may in any case."
        checked={mayGrade || role !== 'member'}
        disabled={role !== 'member'}
        onChange={({ currentTarget }) => setMayGrade(currentTarget.checked)}
      />
      {role !== member.role && <Text>{keysSentence(member, `get the role ${role} at once`)}</Text>}
      {act.error && <ErrorState error={act.error} />}
      <Group justify="flex-end" gap={8}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          disabled={isSame}
          loading={act.isPending}
          onClick={() => act.mutate({ params: { user_id: member.user_id }, body: { role, may_grade: mayGrade } })}
        >
          Save
        </Button>
      </Group>
    </Stack>
  )
}
