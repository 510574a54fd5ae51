import { Stack } from '@mantine/core'
import type { AuditEvent } from '@ratchet/contracts/dashboard/audit'
import type { ReactNode } from 'react'
import { CopyText } from '../../../kit/copy-text.tsx'
import { Facts } from '../../../kit/facts.tsx'
import { WordDiff } from '../../../kit/text/lazy.tsx'
import { exactTime } from '../../../kit/time.ts'

/** One change with what was before and after. */
export function AuditDetails({ event }: { readonly event: AuditEvent }): ReactNode {
  const { at, actor, key_id: keyId, subject, before, after, request_id: requestId } = event
  return (
    <Stack gap={16}>
      <Facts
        facts={[
          ['When', exactTime(at)],
          ['Who', actor === null ? whoOf(event) : `${actor.name}, ${actor.email}`],
          ...(keyId === null
            ? []
            : [
                [
                  'With the API key',
                  <span key="key" className="code">
                    {keyId}
                  </span>,
                ] as const,
              ]),
          ['Of what', subject],
          ...(requestId === null
            ? []
            : [['Request', <CopyText key="id" text={requestId} label="Copy the id of the request" />] as const]),
        ]}
      />
      <WordDiff before={textOf(before)} after={textOf(after)} />
    </Stack>
  )
}

/** Who did it, as far as one can say. */
export function whoOf({ actor, action, request_id: requestId }: Pick<AuditEvent, 'actor' | 'action' | 'request_id'>) {
  if (actor !== null) return actor.name
  if (requestId === 'ratchet admin') return 'an operator, by command'
  return action.startsWith('alias.gate_') ? 'the gate' : 'somebody who is not here any more'
}

function textOf(value: Readonly<Record<string, unknown>> | null): string {
  return value === null ? '' : JSON.stringify(value, null, 2)
}
