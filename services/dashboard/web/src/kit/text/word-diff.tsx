import { diffWordsWithSpace } from 'diff'
import { type ReactNode, useMemo } from 'react'
import styles from './text.module.css'

interface WordDiffProps {
  readonly before: string
  readonly after: string
}

/** Texts above this length are compared by the editor, whose comparison gives up in time. */
const maxLength = 40_000

/** Two texts as one, with what was removed and what was added. Meant to be loaded when it is needed. */
export function WordDiff({ before, after }: WordDiffProps): ReactNode {
  const parts = useMemo(
    () => (before.length + after.length > maxLength ? null : diffWordsWithSpace(before, after, { timeout: 200 })),
    [before, after],
  )
  if (parts === null || parts === undefined)
    return <p className="dimmed">These texts are too long or too different to be compared by words.</p>
  return (
    <div className={styles.diff}>
      {parts.map(({ value, added, removed }, index) => {
        const key = `${index}:${added ? '+' : removed ? '-' : '='}`
        if (added) return <ins key={key}>{value}</ins>
        return removed ? <del key={key}>{value}</del> : <span key={key}>{value}</span>
      })}
    </div>
  )
}
