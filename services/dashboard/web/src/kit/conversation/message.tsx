import type { ReactNode } from 'react'
import styles from './conversation.module.css'
import { type MessagePart, partsOf, roleOf, type StoredMessage } from './message-parts.ts'
import { ModelText } from './model-text.tsx'

interface MessageProps {
  readonly message: StoredMessage
  /** Kinds of secrets that were removed. */
  readonly kinds?: readonly string[]
  /** As it was written, without formatting. */
  readonly isRaw?: boolean
  /** Instead of the role. */
  readonly name?: string
}

/** One message of a conversation: who wrote it, and what. */
export function Message({ message, kinds = [], isRaw = false, name }: MessageProps): ReactNode {
  const role = roleOf(message)
  const parts = partsOf(message)
  return (
    <div className={styles.turn} data-role={role}>
      <div className={styles.role}>
        {name ?? role}
        {message.weight === 0 && ', not trained on'}
      </div>
      {parts.map((part, place) => (
        <Part key={place} part={part} kinds={kinds} isPlain={isRaw || role !== 'assistant'} />
      ))}
      {parts.length === 0 && <span className="dimmed">No text.</span>}
    </div>
  )
}

interface PartProps {
  readonly part: MessagePart
  readonly kinds: readonly string[]
  readonly isPlain: boolean
}

function Part({ part, kinds, isPlain }: PartProps): ReactNode {
  if (part.kind === 'text') return <ModelText text={part.text} kinds={kinds} isPlain={isPlain} />
  if (part.kind === 'other') return <div className="dimmed">[{part.name}]</div>
  return (
    <div className={styles.call}>
      {part.name}(<ModelText text={part.input} kinds={kinds} isPlain />)
    </div>
  )
}
