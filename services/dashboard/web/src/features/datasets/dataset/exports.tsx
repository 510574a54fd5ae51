import { Anchor } from '@mantine/core'
import { type Dataset, exportDataset } from '@ratchet/contracts/datasets'
import type { ReactNode } from 'react'
import { addressOf } from '../../../api/address.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Icon } from '../../../kit/icon.tsx'

const formats = [
  ['openai', 'jsonl', 'for trainers; the hash is of this one'],
  ['openai_evals', 'jsonl', 'questions with ideal answers'],
  ['sharegpt', 'jsonl', 'conversations'],
  ['csv', 'csv', 'for tables'],
] as const

/** Links, so that the browser stores what it receives and the page does not hold it. */
export function Exports({ dataset: { id, name, format: kept } }: { readonly dataset: Dataset }): ReactNode {
  const slug = useWorkspaceSlug()
  const address = addressOf(exportDataset.path.replace(':id', encodeURIComponent(id)), slug)
  return (
    <ul style={{ display: 'flex', flexWrap: 'wrap', gap: '8px 24px', margin: 0, padding: 0, listStyle: 'none' }}>
      {formats
        .filter(([format]) => kept === 'chat' || format === 'openai')
        .map(([format, ending, use]) => (
          <li key={format}>
            <Anchor href={`${address}?format=${format}`} download={`${name}.${format}.${ending}`}>
              <Icon name="download" /> {format}
            </Anchor>{' '}
            <span className="dimmed">{use}</span>
          </li>
        ))}
    </ul>
  )
}
