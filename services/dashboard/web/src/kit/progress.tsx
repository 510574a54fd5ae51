import { Progress as Bar } from '@mantine/core'
import type { ReactNode } from 'react'
import { count, percent } from './numbers.ts'

interface ProgressProps {
  readonly label: string
  readonly done: number
  /** Null while the total is not known. */
  readonly total: number | null
  /** How numbers are written; whole numbers with separators when absent. */
  readonly format?: (value: number) => string
  /** Behind the numbers, such as money spent. */
  readonly detail?: ReactNode
}

/** How far something is, as a bar and in numbers. */
export function Progress({ label, done, total, format = count, detail }: ProgressProps): ReactNode {
  const share = total === null || total === 0 ? 0 : Math.min(1, done / total)
  const text = total === null ? format(done) : `${format(done)} of ${format(total)}, ${percent(share)}`
  return (
    <div>
      <div style={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: 8, marginBottom: 4 }}>
        <span>{label}</span>
        <span className="dimmed">
          {text}
          {detail !== undefined && <> · {detail}</>}
        </span>
      </div>
      <Bar.Root size={8}>
        <Bar.Section value={share * 100} aria-label={label} aria-valuetext={text} color="var(--accent)" />
      </Bar.Root>
    </div>
  )
}
