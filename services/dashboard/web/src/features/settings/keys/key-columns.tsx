import { Button, Group } from '@mantine/core'
import type { ApiKey } from '@ratchet/contracts/dashboard/keys'
import { now } from '../../../clock.ts'
import { count } from '../../../kit/numbers.ts'
import { StateLabel } from '../../../kit/state-mark.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { TimeText } from '../../../kit/time-text.tsx'

interface KeyActs {
  readonly onChange: (key: ApiKey) => void
  readonly onRevoke: (key: ApiKey) => void
}

/** The columns of the list of keys. */
export function keyColumns({ onChange, onRevoke }: KeyActs): readonly Column<ApiKey>[] {
  return [
    { id: 'name', header: 'Name', cell: ({ name }) => name, isFixed: true },
    {
      id: 'key',
      header: 'Begins with',
      cell: ({ display }) => <span className="code">{display}</span>,
      onPhone: false,
    },
    { id: 'user', header: 'User and role now', cell: userText, onPhone: false },
    { id: 'created', header: 'Created', cell: (key) => <TimeText at={key.created_at} />, onPhone: false },
    { id: 'used', header: 'Last used', cell: (key) => <TimeText at={key.last_used_at} /> },
    { id: 'limits', header: 'Limits per minute', cell: limitsText, onPhone: false },
    { id: 'models', header: 'Models', cell: modelsText, onPhone: false },
    { id: 'expires', header: 'Expires', cell: (key) => <TimeText at={key.expires_at} />, onPhone: false },
    { id: 'state', header: 'State', cell: stateOf },
    {
      id: 'actions',
      header: '',
      width: 170,
      cell: (key) =>
        key.revoked_at === null && (
          <Group gap={2} justify="flex-end">
            <Button variant="subtle" onClick={() => onChange(key)} aria-label={`Change ${key.name}`}>
              Change
            </Button>
            <Button variant="subtle" color="red" onClick={() => onRevoke(key)} aria-label={`Revoke ${key.name}`}>
              Revoke
            </Button>
          </Group>
        ),
    },
  ]
}

function userText({ created_by: { name, role } }: ApiKey): string {
  return role === null ? `${name}, who left` : `${name}, ${role}`
}

function limitsText({ requests_per_minute: requests, tokens_per_minute: tokens }: ApiKey) {
  const parts = [
    ...(requests === null ? [] : [`${count(requests)} requests`]),
    ...(tokens === null ? [] : [`${count(tokens)} tokens`]),
  ]
  return parts.length === 0 ? <span className="dimmed">none</span> : parts.join(', ')
}

function modelsText({ allowed_models: globs }: ApiKey) {
  return globs.length === 0 ? <span className="dimmed">all</span> : globs.join(', ')
}

function stateOf({ revoked_at: revokedAt, expires_at: expiresAt, created_by: { role } }: ApiKey) {
  if (revokedAt !== null) return <StateLabel state="none">revoked</StateLabel>
  if (expiresAt !== null && Date.parse(expiresAt) <= now()) return <StateLabel state="none">expired</StateLabel>
  return role === null ? <StateLabel state="wrong">refused</StateLabel> : <StateLabel state="proven">active</StateLabel>
}
