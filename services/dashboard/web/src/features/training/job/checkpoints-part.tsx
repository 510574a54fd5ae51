import type { FineTuningCheckpoint } from '@ratchet/contracts/fine-tuning-progress'
import type { ReactNode } from 'react'
import { CopyText } from '../../../kit/copy-text.tsx'
import { bytesText, count } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { lossText } from '../../../pictures/loss-sentence.ts'
import { isoOfSeconds } from '../words.ts'
import type { useCheckpoints } from './use-checkpoints.ts'

/** The checkpoints that are kept, the newest first. */
export function CheckpointsPart({ list }: { readonly list: ReturnType<typeof useCheckpoints> }): ReactNode {
  return (
    <Card title="Checkpoints">
      <ListTable
        label="Checkpoints"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<p className="dimmed">No checkpoint is stored yet.</p>}
      />
    </Card>
  )
}

const columns: readonly Column<FineTuningCheckpoint>[] = [
  {
    id: 'step',
    header: 'Step',
    width: 90,
    isNumber: true,
    cell: ({ step_number: step }) => <strong>{count(step)}</strong>,
  },
  {
    id: 'train',
    header: 'Training loss',
    width: 120,
    isNumber: true,
    cell: (each) => lossOf(each, 'train_loss'),
    onPhone: false,
  },
  { id: 'valid', header: 'Validation loss', width: 130, isNumber: true, cell: (each) => lossOf(each, 'valid_loss') },
  {
    id: 'tokens',
    header: 'Tokens',
    width: 120,
    isNumber: true,
    cell: (each) => count(each.trained_tokens),
    onPhone: false,
  },
  {
    id: 'size',
    header: 'Size',
    width: 100,
    isNumber: true,
    cell: (each) => bytesText(each.size_bytes),
    onPhone: false,
  },
  { id: 'at', header: 'Stored', width: 120, cell: (each) => <TimeText at={isoOfSeconds(each.created_at)} /> },
  {
    id: 'id',
    header: 'Id',
    cell: ({ id }) => <CopyText text={id} label="Copy the id of the checkpoint" />,
    onPhone: false,
  },
]

function lossOf({ metrics }: FineTuningCheckpoint, name: string): string {
  const loss = metrics[name]
  return typeof loss === 'number' ? lossText(loss) : '–'
}
