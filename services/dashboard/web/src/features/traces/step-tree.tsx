import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useKey } from '../../keys/key-context.ts'
import { WaterfallRows, waterfallRowHeight } from '../../pictures/waterfall.tsx'
import { rowsInSight } from '../../pictures/waterfall-rows.ts'
import type { TraceRow } from './trace-tree.ts'
import styles from './traces.module.css'

interface StepTreeProps {
  readonly rows: readonly TraceRow[]
  readonly currentId: string | undefined
  readonly onOpen: (id: string) => void
}

/** Enough rows for any screen before the height of the box is known. */
const firstHeight = 1_200
const indent = 14

/** The steps as a tree beside their times. Only the rows in sight are on the page, so a run of thousands stays quick. */
export function StepTree({ rows, currentId, onOpen }: StepTreeProps): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const [scroll, setScroll] = useState({ top: 0, height: firstHeight })
  const inSight = rowsInSight(scroll.top, scroll.height, waterfallRowHeight, rows.length)
  const [first, last] = inSight
  const current = rows.findIndex(({ id }) => id === currentId)
  const move = (by: number) => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, current + by))]
    if (next !== undefined) onOpen(next.id)
  }
  useKey('row.next', () => move(1), { enabled: rows.length > 0 })
  useKey('row.previous', () => move(-1), { enabled: rows.length > 0 })
  useEffect(() => {
    if (box.current !== null && current !== -1) showRow(box.current, current)
  }, [current])
  return (
    <div
      ref={box}
      className={styles.box}
      onScroll={({ currentTarget: { scrollTop: top, clientHeight: height } }) => setScroll({ top, height })}
    >
      <ol className={styles.steps} style={{ height: rows.length * waterfallRowHeight }} aria-label="Steps">
        {rows.slice(first, last).map(({ id, label, kind, depth, hasFailed }, offset) => (
          <li
            key={id}
            className={styles.step}
            style={{ top: (first + offset) * waterfallRowHeight }}
            data-current={id === currentId}
            aria-setsize={rows.length}
            aria-posinset={first + offset + 1}
          >
            <button
              type="button"
              style={{ paddingLeft: 10 + Math.min(depth, 12) * indent }}
              onClick={() => onOpen(id)}
              aria-current={id === currentId ? 'step' : undefined}
            >
              <span className={styles.kind}>{kind === 'call' ? '▸' : '·'} </span>
              {label}
              {hasFailed && ' (failed)'}
            </button>
          </li>
        ))}
      </ol>
      <WaterfallRows spans={rows} currentId={currentId} onOpen={onOpen} inSight={inSight} />
    </div>
  )
}

/** Scrolls the box just as far as needed. */
function showRow(box: HTMLElement, index: number): void {
  const top = index * waterfallRowHeight
  if (top < box.scrollTop) box.scrollTop = top
  const bottom = top + waterfallRowHeight - box.clientHeight
  if (bottom > box.scrollTop) box.scrollTop = bottom
}
