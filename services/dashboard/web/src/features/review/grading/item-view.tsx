import { UnstyledButton } from '@mantine/core'
import type { ReviewItem } from '@ratchet/contracts/review-grades'
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { Conversation } from '../../../kit/conversation/conversation.tsx'
import { Message } from '../../../kit/conversation/message.tsx'
import { wordCount } from '../../../kit/conversation/message-lines.ts'
import { roleOf, textOf } from '../../../kit/conversation/message-parts.ts'
import { WordDiff } from '../../../kit/text/lazy.tsx'
import type { AlikeAnswer } from './alike-answer.ts'
import styles from './grading.module.css'

interface ItemViewProps {
  readonly item: ReviewItem
  /** An item that is not shown yet is drawn all the same, so that a key shows it at once. */
  readonly isShown: boolean
  /** Called when the last step of a run is on screen; null for an exchange. */
  readonly onSeen: (() => void) | null
  readonly isSeen: boolean
  readonly showsEarlier: boolean
  readonly onEarlier: () => void
  readonly isRaw: boolean
  readonly onRaw: () => void
  /** An answer that was graded before and is nearly the same; null for none. */
  readonly alike: AlikeAnswer | null
  readonly showsChanges: boolean
  readonly onChanges: () => void
  /** Whether texts are a third larger. */
  readonly isLarge: boolean
  readonly onLarge: () => void
}

/** The last question and the answer, with everything before it folded; of a run all steps. */
export function ItemView(props: ItemViewProps): ReactNode {
  const { item, isShown, onSeen, isSeen, showsEarlier, onEarlier, isRaw, onRaw, isLarge, onLarge } = props
  const { alike, showsChanges, onChanges } = props
  const { messages, response, tools } = item
  const isRun = onSeen !== null
  const last = messages.at(-1)
  const earlier = messages.slice(0, -1)
  const box = useRef<HTMLElement>(null)
  const answer = useRef<HTMLDivElement>(null)
  useOnScreen(answer, isShown ? onSeen : null)
  useEffect(() => {
    if (isShown) box.current?.scrollTo({ top: 0 })
    // A run is read from its beginning; the page stands at the end of the one before.
    if (isShown && isRun) window.scrollTo({ top: 0 })
  }, [isShown, isRun])
  return (
    <section
      ref={box}
      className={styles.item}
      data-shown={isShown}
      data-seen={isSeen}
      data-large={isLarge}
      inert={!isShown}
      aria-hidden={!isShown}
      aria-label="Item to grade"
    >
      <div className={styles.itemHead}>
        {!isRun && earlier.length > 0 && (
          <UnstyledButton className={styles.fold} aria-expanded={showsEarlier && isShown} onClick={onEarlier}>
            {showsEarlier && isShown ? '▾' : '▸'} {earlierText(earlier)}
          </UnstyledButton>
        )}
        {alike !== null && (
          <UnstyledButton className={styles.inline} onClick={onChanges} aria-pressed={showsChanges}>
            changes (d)
          </UnstyledButton>
        )}
        <UnstyledButton className={styles.inline} onClick={onLarge} aria-pressed={isLarge}>
          larger text
        </UnstyledButton>
        <UnstyledButton className={styles.inline} onClick={onRaw} aria-pressed={isRaw}>
          {isRaw ? 'formatted (t)' : 'as written (t)'}
        </UnstyledButton>
      </div>
      {isRun && <RunSteps messages={earlier} isRaw={isRaw} />}
      {!isRun && showsEarlier && isShown && <Conversation messages={earlier} isRaw={isRaw} />}
      {last !== undefined && <Message message={last} isRaw={isRaw} />}
      <div ref={answer} className={styles.answer}>
        {alike !== null && showsChanges ? (
          <Changes alike={alike} text={textOf(response)} />
        ) : (
          <Message message={response} isRaw={isRaw} name={isRun ? 'last step' : 'answer'} />
        )}
      </div>
      {tools !== null && tools.length > 0 && <p className="dimmed">{tools.length} tools could be called.</p>}
    </section>
  )
}

/** The answer, with what was written in its place in an answer that is nearly the same. */
function Changes({
  alike: { text: before, itemsAgo },
  text,
}: {
  readonly alike: AlikeAnswer
  readonly text: string
}): ReactNode {
  const where = itemsAgo === 1 ? 'the answer before' : `the answer ${itemsAgo} items ago`
  return (
    <section aria-label={`Changes from ${where}`}>
      <p className="dimmed">Changes from {where}, which you graded:</p>
      <WordDiff before={before} after={text} />
    </section>
  )
}

interface RunStepsProps {
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  readonly isRaw: boolean
}

/** The messages of a run, with its answers numbered. */
function RunSteps({ messages, isRaw }: RunStepsProps): ReactNode {
  const steps = messages.map((_, index) => messages.slice(0, index + 1).filter(isStep).length)
  return messages.map((message, index) => (
    <Message
      key={index}
      message={message}
      isRaw={isRaw}
      {...(isStep(message) ? { name: `step ${steps[index]}` } : {})}
    />
  ))
}

function isStep({ role }: Readonly<Record<string, unknown>>): boolean {
  return role === 'assistant'
}

/** Calls once the lower end of an element is in the window. The bar of the decision covers the rest of it. */
function useOnScreen(element: RefObject<HTMLElement | null>, onSeen: (() => void) | null): void {
  const seen = useEffectEvent(() => onSeen?.())
  const isWatched = onSeen !== null
  useEffect(() => {
    const end = element.current
    if (!isWatched || end === null) return
    const check = () => {
      if (end.getBoundingClientRect().bottom > window.innerHeight) return
      seen()
      stop()
    }
    const stop = () => {
      window.removeEventListener('scroll', check, true)
      window.removeEventListener('resize', check)
    }
    window.addEventListener('scroll', check, true)
    window.addEventListener('resize', check)
    // Formatted texts arrive after the first paint and move the end down.
    const frame = requestAnimationFrame(() => requestAnimationFrame(check))
    return () => {
      cancelAnimationFrame(frame)
      stop()
    }
  }, [element, isWatched])
}

function earlierText(earlier: readonly Readonly<Record<string, unknown>>[]): string {
  const system = earlier.filter((message) => ['system', 'developer'].includes(roleOf(message)))
  const others = earlier.length - system.length
  const words = system.reduce((sum, message) => sum + wordCount(textOf(message)), 0)
  const parts = [
    ...(system.length > 0 ? [`system, ${words} words`] : []),
    ...(others > 0 ? [`${others} earlier ${others === 1 ? 'turn' : 'turns'}`] : []),
  ]
  return `${parts.join(' · ')} (e)`
}
