import { Button, Stack, Text } from '@mantine/core'
import { type DeadLetter, readWork, retryWork, type WorkQueue } from '@ratchet/contracts/dashboard/admin-ledgers'
import { type ReactNode, useState } from 'react'
import type { z } from 'zod'
import { useAct } from '../../api/use-act.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Confirm } from '../../kit/dialogs/confirm.tsx'
import { count } from '../../kit/numbers.ts'
import { Page } from '../../kit/page.tsx'
import { EmptyState } from '../../kit/states/empty-state.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import type { Column } from '../../kit/table/column.ts'
import { DataTable } from '../../kit/table/data-table.tsx'
import { toast } from '../../kit/toast.tsx'
import styles from './admin.module.css'
import { FreshOnly } from './fresh-only.tsx'
import { signInAgainFor } from './sign-in-again-for.ts'

type Letter = z.output<typeof DeadLetter>
type Queue = z.output<typeof WorkQueue>

const maxShown = 200

/** Background work of the installation: how much waits, and what was given up. */
export function WorkPage(): ReactNode {
  const work = useEndpoint(readWork, { query: { limit: maxShown } })
  const [retried, setRetried] = useState<Letter | null>(null)
  return (
    <Page
      title="Work"
      lead="What workers have to do, and what was dead-lettered after its last allowed failure, by workspace and reason."
    >
      <FreshOnly signInAgain={signInAgainFor(work)}>
        <Loaded query={work}>
          {({ queues, data, total }) => (
            <Stack gap={24}>
              <DataTable label="Queues" columns={queueColumns} rows={queues} rowKey={({ queue }) => queue} />
              {data.length === 0 ? (
                <EmptyState title="Nothing was dead-lettered">All work was done, or waits.</EmptyState>
              ) : (
                <DataTable
                  label="Dead-lettered work"
                  columns={letterColumnsOf(setRetried)}
                  rows={data}
                  rowKey={keyOf}
                />
              )}
              {total > data.length && (
                <Text className="dimmed">
                  The {count(data.length)} most frequent of {count(total)} reasons are shown.
                </Text>
              )}
            </Stack>
          )}
        </Loaded>
      </FreshOnly>
      <Retry letter={retried} onClose={() => setRetried(null)} />
    </Page>
  )
}

function keyOf({ queue, source, slug, error, example }: Letter): string {
  return [queue, source, slug, example, error].join(' ')
}

function Retry({ letter, onClose }: { readonly letter: Letter | null; readonly onClose: () => void }): ReactNode {
  const act = useAct(retryWork, {
    changes: [readWork],
    onDone: ({ retried }) => {
      onClose()
      toast(`${count(retried)} judgements are tried again.`)
    },
  })
  return (
    <Confirm
      opened={letter !== null}
      onClose={onClose}
      title={`Retry ${count(letter?.count ?? 0)} judgements of ${letter?.slug ?? ''}?`}
      verb="Retry"
      isRunning={act.isPending}
      error={act.error}
      onConfirm={() => letter && act.mutate({ body: { slug: letter.slug, error: letter.error } })}
    >
      <Text>They cost the workspace what judgements cost, within its caps. Its audit names you.</Text>
    </Confirm>
  )
}

const queueColumns: readonly Column<Queue>[] = [
  { id: 'queue', header: 'Queue', cell: ({ queue }) => queue },
  { id: 'pending', header: 'Pending', isNumber: true, cell: ({ pending }) => count(pending) },
  { id: 'due', header: 'Due', isNumber: true, onPhone: false, cell: ({ due }) => count(due) },
  {
    id: 'oldest',
    header: 'Oldest due',
    isNumber: true,
    onPhone: false,
    cell: ({ due, oldest_due_seconds: seconds }) => (due === 0 ? '–' : `${count(Math.round(seconds))} s`),
  },
  { id: 'leased', header: 'Under way', isNumber: true, onPhone: false, cell: ({ leased }) => count(leased) },
  { id: 'dead', header: 'Dead-lettered', isNumber: true, cell: (queue) => count(queue.dead_lettered) },
]

function letterColumnsOf(onRetry: (letter: Letter) => void): readonly Column<Letter>[] {
  return [
    { id: 'slug', header: 'Workspace', cell: ({ slug }) => <span className="code">{slug}</span> },
    {
      id: 'queue',
      header: 'Work',
      onPhone: false,
      cell: ({ queue, source }) => (source === null ? queue : `${queue} (${source})`),
    },
    { id: 'count', header: 'Rows', isNumber: true, width: 70, cell: (letter) => count(letter.count) },
    { id: 'error', header: 'Last error', cell: ({ error }) => <span className={styles.reason}>{error}</span> },
    {
      id: 'retry',
      header: '',
      width: 190,
      cell: (letter) =>
        letter.can_retry ? (
          <Button variant="subtle" aria-label={`Retry ${letter.slug}`} onClick={() => onRetry(letter)}>
            Retry
          </Button>
        ) : (
          <span className="dimmed">{otherWay(letter)}</span>
        ),
    },
  ]
}

function otherWay({ queue }: Letter): string {
  if (queue === 'mirrored requests') return 'the request is over'
  return queue === 'eval samples' ? 'start the eval again' : 'start the run again'
}
