import { Button, Group } from '@mantine/core'
import type { Member } from '@ratchet/contracts/dashboard/members'
import { countOf } from '../../../kit/numbers.ts'
import type { Column } from '../../../kit/table/column.ts'
import { TimeText } from '../../../kit/time-text.tsx'

interface MemberColumnsInput {
  readonly isOff: boolean
  /** The person who reads the page, who leaves instead of removing herself. */
  readonly ownId: string
  readonly onChange: (member: Member) => void
  readonly onRemove: (member: Member) => void
}

export function memberColumns({ isOff, ownId, onChange, onRemove }: MemberColumnsInput): readonly Column<Member>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      cell: ({ name, user_id: id }) => (
        <>
          {name}
          {id === ownId && <span className="dimmed"> (you)</span>}
        </>
      ),
    },
    { id: 'email', header: 'E-mail', cell: ({ email }) => email, onPhone: false },
    { id: 'role', header: 'Role', cell: ({ role }) => role },
    {
      id: 'grades',
      header: 'May grade',
      cell: ({ role, may_grade: may }) => (role !== 'member' ? 'by role' : may ? 'yes' : 'no'),
      onPhone: false,
    },
    { id: 'keys', header: 'Keys', cell: ({ active_keys: keys }) => keys, isNumber: true, onPhone: false },
    { id: 'seen', header: 'Last seen', cell: (member) => <TimeText at={member.last_seen_at} />, onPhone: false },
    {
      id: 'actions',
      header: '',
      width: 170,
      cell: (member) => (
        <Group gap={2} wrap="nowrap" justify="flex-end">
          <Button
            variant="subtle"
            disabled={isOff}
            onClick={() => onChange(member)}
            aria-label={`Change ${member.name}`}
          >
            Change
          </Button>
          {member.user_id !== ownId && (
            <Button
              variant="subtle"
              color="red"
              disabled={isOff}
              onClick={() => onRemove(member)}
              aria-label={`Remove ${member.name}`}
            >
              Remove
            </Button>
          )}
        </Group>
      ),
    },
  ]
}

/** What happens to the keys of a person, as a sentence. */
export function keysSentence({ name, active_keys: keys }: Member, what: string): string {
  return keys === 0 ? `${name} has no keys.` : `${countOf(keys, 'key')} of ${name} ${what}.`
}
