import { type DatasetExample, listDatasetExamples } from '@ratchet/contracts/datasets'
import { type ReactNode, useState } from 'react'
import { useList } from '../../../api/use-endpoint.ts'
import { CodeBlock } from '../../../kit/code-block.tsx'
import { ScrolledConversation } from '../../../kit/conversation/conversation.tsx'
import { firstWords, questionOf } from '../../../kit/conversation/message-lines.ts'
import { textOf } from '../../../kit/conversation/message-parts.ts'
import { LogLink } from '../../../kit/item-link.tsx'
import { count } from '../../../kit/numbers.ts'
import { SidePanel } from '../../../kit/side-panel.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'

const pageSize = 50

export function Examples({ id }: { readonly id: string }): ReactNode {
  const examples = useList(listDatasetExamples, { params: { id }, pageSize })
  const [open, setOpen] = useState<DatasetExample | null>(null)
  return (
    <>
      <ListTable
        label="Examples"
        list={examples}
        columns={columns}
        rowKey={({ index }) => String(index)}
        onOpen={setOpen}
        empty={<EmptyState title="No examples">This dataset is empty.</EmptyState>}
      />
      <SidePanel
        title={open === null ? '' : `Example ${open.index + 1}`}
        opened={open !== null}
        onClose={() => setOpen(null)}
      >
        {open && <ExampleDetails example={open} />}
      </SidePanel>
    </>
  )
}

const columns: readonly Column<DatasetExample>[] = [
  { id: 'index', header: 'No.', width: 64, isNumber: true, cell: ({ index }) => count(index + 1) },
  { id: 'question', header: 'Question', cell: ({ messages }) => <Line text={questionOf(messages)} /> },
  {
    id: 'answer',
    header: 'Answer',
    cell: ({ messages }) => <Line text={firstWords(messages.slice(-1).map(textOf).join(''))} />,
    onPhone: false,
  },
  { id: 'messages', header: 'Messages', width: 96, isNumber: true, cell: (each) => count(each.messages.length) },
  { id: 'weight', header: 'Trained on', width: 110, cell: trainedOn, onPhone: false },
]

function Line({ text }: { readonly text: string }): ReactNode {
  return (
    <span
      style={{
        display: 'block',
        overflow: 'hidden',
        maxWidth: '44ch',
        textOverflow: 'ellipsis',
        whiteSpace: 'nowrap',
        unicodeBidi: 'isolate',
      }}
    >
      {text}
    </span>
  )
}

/** How many of its answers have a weight above 0. */
function trainedOn({ messages }: DatasetExample): string {
  const answers = messages.filter(({ role }) => role === 'assistant')
  const trained = answers.filter(({ weight }) => weight !== 0)
  return `${trained.length} of ${answers.length}`
}

function ExampleDetails({ example }: { readonly example: DatasetExample }): ReactNode {
  const { messages, tools, source_log_id: logId } = example
  return (
    <div style={{ display: 'grid', gap: 12 }}>
      {logId !== null && <LogLink id={logId} />}
      <ScrolledConversation messages={messages} label="Messages" />
      {tools !== null && <CodeBlock code={JSON.stringify(tools, null, 2)} label="Tools" />}
    </div>
  )
}
