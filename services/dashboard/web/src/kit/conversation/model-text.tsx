import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { count } from '../numbers.ts'
import { withVisibleDirection } from '../text/hostile-markdown.ts'
import { Markdown } from '../text/lazy.tsx'
import styles from './conversation.module.css'
import { redactedParts } from './redacted-parts.ts'

interface ModelTextProps {
  readonly text: string
  /** Kinds of secrets that were removed from the entry. */
  readonly kinds?: readonly string[]
  /** Shows the text as it is, without formatting. */
  readonly isPlain?: boolean
}

/** Longer texts are cut until a person asks for the rest, so that no single message slows the page. */
const maxShown = 20_000

/** A text of a prompt or an answer. Removed secrets are marked, and nothing in it can run, load or be followed. */
export function ModelText({ text, kinds = [], isPlain = false }: ModelTextProps): ReactNode {
  const [showsAll, setShowsAll] = useState(false)
  const isCut = !showsAll && text.length > maxShown
  const shown = isCut ? text.slice(0, maxShown) : text
  const parts = redactedParts(shown)
  return (
    <>
      {isPlain || isCut || parts.includes(true) ? (
        <div className={styles.plain} dir="auto">
          {parts.map((part, index) =>
            part === true ? <Redacted key={index} kinds={kinds} /> : withVisibleDirection(part),
          )}
        </div>
      ) : (
        <Markdown text={shown} />
      )}
      {isCut && (
        <Button variant="subtle" onClick={() => setShowsAll(true)}>
          Show all {count(text.length)} characters
        </Button>
      )}
    </>
  )
}

/** Stands where a secret was. It cannot be shown again, because it was never stored. */
function Redacted({ kinds }: { readonly kinds: readonly string[] }): ReactNode {
  const kind = kinds.length === 1 ? `: ${kinds[0]?.replaceAll('_', ' ')}` : ''
  return (
    <span className={styles.redacted} title={kinds.length > 1 ? `One of: ${kinds.join(', ')}` : undefined}>
      redacted{kind}
    </span>
  )
}
