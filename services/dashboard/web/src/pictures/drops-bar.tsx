import { UnstyledButton } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { count, percent } from '../kit/numbers.ts'
import styles from './drops-bar.module.css'
import { Hatch, Picture } from './picture.tsx'

export interface DropPart {
  readonly id: string
  readonly label: string
  readonly count: number
  /** The part that stays, drawn in the colour of what is proven. */
  readonly isKept?: boolean
}

interface DropsBarProps {
  readonly title: string
  readonly parts: readonly DropPart[]
  /** The part that is open; null for none. */
  readonly current: string | null
  readonly onOpen: (id: string) => void
}

const height = 34

/** A total divided into what is kept and why the rest is dropped. Every part is a button too, so that it opens by keyboard. */
export function DropsBar({ title, parts, current, onOpen }: DropsBarProps): ReactNode {
  const hatch = useId()
  const total = parts.reduce((sum, part) => sum + part.count, 0)
  const shown = parts.filter((part) => part.count > 0)
  const sum = shown.map((part) => `${count(part.count)} ${part.label}`).join(' + ')
  const fill = (part: DropPart) => `var(--series-${(shown.filter((each) => !each.isKept).indexOf(part) % 5) + 2})`
  return (
    <div>
      <Picture sentence={`${title}: ${count(total)} = ${sum}.`} height={height}>
        {(width) => {
          const ends = shown.map((_, index) => shown.slice(0, index + 1).reduce((done, part) => done + part.count, 0))
          return (
            <>
              <Hatch id={hatch} color="var(--surface)" />
              {shown.map((part, index) => {
                const x = ((ends[index - 1] ?? 0) / total) * width
                const size = { x, y: 2, width: Math.max(2, (part.count / total) * width - 2), height: height - 4 }
                return (
                  <g key={part.id}>
                    <rect {...size} rx={2} fill={part.isKept ? 'var(--state-proven)' : fill(part)} />
                    {!part.isKept && index % 2 === 1 && <rect {...size} fill={`url(#${hatch})`} opacity={0.45} />}
                  </g>
                )
              })}
            </>
          )
        }}
      </Picture>
      <ul className={styles.parts}>
        {shown.map((part) => (
          <li key={part.id}>
            <UnstyledButton
              className={styles.part}
              aria-pressed={current === part.id}
              disabled={part.isKept ?? false}
              onClick={() => onOpen(part.id)}
            >
              <svg width="12" height="12" aria-hidden="true">
                <rect width="12" height="12" rx="2" fill={part.isKept ? 'var(--state-proven)' : fill(part)} />
              </svg>
              <span>{part.label}</span>
              <strong>{count(part.count)}</strong>
              <span className="dimmed">{percent(part.count / total)}</span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </div>
  )
}
