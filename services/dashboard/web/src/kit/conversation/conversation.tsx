import type { ReactNode } from 'react'
import styles from './conversation.module.css'
import { Message } from './message.tsx'
import type { StoredMessage } from './message-parts.ts'

interface ConversationProps {
  readonly messages: readonly StoredMessage[]
  /** Comes last, and is named so. */
  readonly answer?: StoredMessage
  /** Kinds of secrets that were removed. */
  readonly kinds?: readonly string[]
  readonly isRaw?: boolean
}

/** Messages below each other. */
export function Conversation({ messages, answer, ...shown }: ConversationProps): ReactNode {
  return (
    <ol className={styles.turns}>
      {messages.map((message, index) => (
        <li key={index}>
          <Message message={message} {...shown} />
        </li>
      ))}
      {answer !== undefined && (
        <li>
          <Message message={answer} name="answer" {...shown} />
        </li>
      )}
    </ol>
  )
}

interface ScrolledConversationProps extends ConversationProps {
  readonly label: string
}

/** A conversation of limited height beside other things. */
export function ScrolledConversation({ label, ...conversation }: ScrolledConversationProps): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: It scrolls, so the keyboard must reach it.
    <section className={styles.scroll} tabIndex={0} aria-label={label}>
      <Conversation {...conversation} />
    </section>
  )
}
