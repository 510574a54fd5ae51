import { listCriterionEvents } from '@ratchet/contracts/session-criteria'
import { type ReactNode, useState } from 'react'
import type { z } from 'zod'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useList } from '../../../api/use-endpoint.ts'
import { usePeople } from '../../../api/use-people.ts'
import { Card } from '../../../kit/page.tsx'
import { SidePanel } from '../../../kit/side-panel.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { WordDiff } from '../../../kit/text/lazy.tsx'
import { TimeText } from '../../../kit/time-text.tsx'

type CriterionEvent = z.output<typeof listCriterionEvents.reply>['data'][number]

/** Who changed the judge, and what it was before. */
export function PromptHistory({ criterionId }: { readonly criterionId: string }): ReactNode {
  const reason = reasonAgainst('owner_admin', useWorkspace())
  return (
    <Card title="History">
      {reason === null ? <Events criterionId={criterionId} /> : <Notice state="none">{reason}</Notice>}
    </Card>
  )
}

function Events({ criterionId }: { readonly criterionId: string }): ReactNode {
  const events = useList(listCriterionEvents, { query: { criterion_id: criterionId }, pageSize: 50 })
  const person = usePeople()
  const [open, setOpen] = useState<CriterionEvent | null>(null)
  const columns: readonly Column<CriterionEvent>[] = [
    { id: 'when', header: 'When', width: 130, cell: ({ created_at: at }) => <TimeText at={at} /> },
    { id: 'who', header: 'Who', cell: ({ actor }) => (actor === null ? 'the product' : person(actor.user_id)) },
    {
      id: 'what',
      header: 'What',
      cell: ({ kind, after }) => (kind === 'update' ? Object.keys(after ?? {}).join(', ') : kind),
    },
  ]
  return (
    <>
      <ListTable
        label="Changes of the judge"
        list={events}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={setOpen}
        empty={<EmptyState title="No change">Nobody changed this judge.</EmptyState>}
      />
      <SidePanel title="Change" opened={open !== null} onClose={() => setOpen(null)}>
        {open &&
          Object.keys(open.after ?? open.before ?? {}).map((name) => (
            <section key={name}>
              <h3 className="code">{name}</h3>
              <WordDiff before={textOf(open.before?.[name])} after={textOf(open.after?.[name])} />
            </section>
          ))}
      </SidePanel>
    </>
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
}
