import { Anchor, Button, Group } from '@mantine/core'
import { logHistogram } from '@ratchet/contracts/log-overview'
import { deleteLog, type LogEntry, listLogs } from '@ratchet/contracts/logs'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useAct } from '../../api/use-act.ts'
import { CopyText } from '../../kit/copy-text.tsx'
import { Confirm } from '../../kit/dialogs/confirm.tsx'
import { Facts } from '../../kit/facts.tsx'
import { count } from '../../kit/numbers.ts'
import { NotPermitted } from '../../kit/states/not-permitted.tsx'
import { duration, exactTime, relativeTime } from '../../kit/time.ts'
import { useMinute } from '../../kit/time-text.tsx'
import { toast } from '../../kit/toast.tsx'
import { aliasText, costText } from './log-columns.tsx'
import styles from './logs.module.css'

interface LogFactsProps {
  readonly entry: LogEntry
  readonly onDeleted: () => void
  /** Filters the list by something of the entry. */
  readonly onFilter: (filter: Readonly<Record<string, string>>) => void
}

/** What is known about an entry beside its content. */
export function LogFacts({ entry, onDeleted, onFilter }: LogFactsProps): ReactNode {
  const { slug } = useWorkspace()
  const nowMs = useMinute()
  const { trace_id: traceId } = entry
  return (
    <>
      <Facts
        facts={[
          ['Id', <CopyText key="id" text={entry.id} label="Copy the id" />],
          ['Time', exactTime(entry.created_at)],
          ['Model', modelText(entry)],
          ['Took', tookText(entry)],
          ['Tokens', `${count(entry.prompt_tokens)} in, ${count(entry.completion_tokens)} out`],
          ['Cost', `${costText(entry.cost_usd)}${entry.cached ? ', from the cache' : ''}`],
          ['Tag', entry.tag ?? '–'],
          ...namedFacts(entry, onFilter),
          ...redactedFact(entry),
          ...(traceId === null
            ? []
            : [
                [
                  'Trace',
                  <Anchor
                    key="trace"
                    size="sm"
                    renderRoot={(props) => <Link {...props} to="/w/$slug/traces/$id" params={{ slug, id: traceId }} />}
                  >
                    {traceId}
                  </Anchor>,
                ] as const,
              ]),
          ['Deleted', relativeTime(entry.expires_at, nowMs)],
        ]}
      />
      <div className={styles.line}>
        <DeleteLog id={entry.id} onDeleted={onDeleted} />
      </div>
    </>
  )
}

function modelText(entry: LogEntry): string {
  const { model, requested_model: requested, fallback_from: from } = entry
  const alias = aliasText(entry)
  const asked = alias !== '' ? ` (alias ${alias})` : requested === model ? '' : ` (requested: ${requested})`
  return `${model}${asked}${from === null ? '' : `, after ${from} failed`}`
}

function tookText({ latency_ms: ms, ttft_ms: first }: LogEntry): string {
  return first === null ? duration(ms) : `${duration(ms)}, first byte after ${duration(first)}`
}

/** The end user, the session and the metadata that the client named; each shows the entries that have it too. */
function namedFacts(
  { user, conversation_id: session, metadata }: LogEntry,
  onFilter: LogFactsProps['onFilter'],
): readonly (readonly [string, ReactNode])[] {
  const pairs = Object.entries(metadata).map(([name, value]) => `${name}=${value}`)
  const chosen = (text: string, filter: Readonly<Record<string, string>>) => (
    <Anchor key={text} component="button" size="sm" title="Show entries with the same" onClick={() => onFilter(filter)}>
      {text}
    </Anchor>
  )
  return [
    ...(user === null ? [] : [['User', chosen(user, { user })] as const]),
    ...(session === null ? [] : [['Session', chosen(session, { conversation_id: session })] as const]),
    ...(pairs.length === 0
      ? []
      : [['Metadata', <Group gap={8}>{pairs.map((metadata) => chosen(metadata, { metadata }))}</Group>] as const]),
  ]
}

function redactedFact({ redaction }: LogEntry): readonly (readonly [string, ReactNode])[] {
  const { count: secrets, kinds } = redaction
  return secrets === 0 ? [] : [['Redacted', `${count(secrets)}: ${kinds.join(', ').replaceAll('_', ' ')}`]]
}

function DeleteLog({ id, onDeleted }: { readonly id: string; readonly onDeleted: () => void }): ReactNode {
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const [asks, setAsks] = useState(false)
  const remove = useAct(deleteLog, {
    changes: [listLogs, logHistogram],
    onDone: () => {
      setAsks(false)
      toast('The entry is deleted.')
      onDeleted()
    },
  })
  return (
    <NotPermitted reason={reason}>
      {(disabled) => (
        <>
          <Button variant="default" disabled={disabled} onClick={() => setAsks(true)}>
            Delete
          </Button>
          <Confirm
            opened={asks}
            onClose={() => setAsks(false)}
            title="Delete this entry?"
            verb="Delete"
            isRunning={remove.isPending}
            error={remove.error}
            onConfirm={() => remove.mutate({ params: { id } })}
          >
            It is deleted at once and permanently. Datasets and grades that were made from it stay.
          </Confirm>
        </>
      )}
    </NotPermitted>
  )
}
