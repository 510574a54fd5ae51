import { Button } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import type { Criterion } from '@ratchet/contracts/criteria'
import type { ReviewRoundDetails } from '@ratchet/contracts/review-rounds'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { useKey } from '../../../keys/key-context.ts'
import { Page } from '../../../kit/page.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { RowsSkeleton } from '../../../kit/states/skeletons.tsx'
import { clockTime } from '../../../kit/time.ts'
import { alikeAnswer } from './alike-answer.ts'
import { BatchCard } from './batch-card.tsx'
import { Definition } from './definition.tsx'
import { GradeBar } from './grade-bar.tsx'
import { markGrade } from './grade-timing.ts'
import styles from './grading.module.css'
import { ItemView } from './item-view.tsx'
import { type Answer, gradedItems, type Sitting, shownItems } from './sitting.ts'
import { SittingHead } from './sitting-head.tsx'
import { type GradeWords, useSitting } from './use-sitting.ts'

interface GradingScreenProps {
  readonly round: ReviewRoundDetails
  readonly judge: Pick<Criterion, 'id' | 'name' | 'judge_prompt'>
}

/** Nothing on it depends on what the judge says, until a batch is complete. */
export function GradingScreen({ round, judge }: GradingScreenProps): ReactNode {
  const work = useSitting(round.id)
  const [gradedBefore] = useState(round.graded)
  const { sitting } = work
  const [showsEarlier, setShowsEarlier] = useState(false)
  const [isRaw, setIsRaw] = useState(false)
  const [showsChanges, setShowsChanges] = useState(false)
  const alike = useAlike(sitting)
  const [text, setText] = useLocalStorage<'usual' | 'large'>({ key: 'review-text', defaultValue: 'usual' })
  const items = shownItems(sitting)
  const isRun = round.unit === 'trace'
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const answer = (label: Answer, words: GradeWords) => {
    markGrade()
    setShowsEarlier(false)
    work.answer(label, words)
  }
  useKey('review.undo', work.undo)
  useKey('row.previous', () => work.step(-1))
  useKey('row.next', () => work.step(1))
  useKey('review.earlier', () => setShowsEarlier(!showsEarlier))
  useKey('review.raw', () => setIsRaw(!isRaw))
  useKey('review.changes', () => setShowsChanges(!showsChanges), { enabled: alike !== null })
  const card = sitting.batches.find(({ claimId }) => claimId === sitting.cardOf)
  return (
    <Page title={judge.name} above={<SittingHead round={round} gradedBefore={gradedBefore} work={work} />}>
      <OutboxNotices work={work} />
      <Definition prompt={judge.judge_prompt} />
      {card !== undefined && <BatchCard round={round} batch={card} work={work} />}
      {card === undefined && sitting.itemId === null && <NothingToGrade work={work} />}
      <div className={styles.stage} hidden={card !== undefined || sitting.itemId === null}>
        {items.map((item) => (
          <ItemView
            key={item.id}
            item={item}
            isShown={item.id === sitting.itemId}
            isSeen={seen.has(item.id)}
            onSeen={isRun ? () => setSeen((before) => new Set([...before, item.id])) : null}
            showsEarlier={showsEarlier}
            onEarlier={() => setShowsEarlier(!showsEarlier)}
            isRaw={isRaw}
            onRaw={() => setIsRaw(!isRaw)}
            alike={item.id === sitting.itemId ? alike : null}
            showsChanges={showsChanges}
            onChanges={() => setShowsChanges(!showsChanges)}
            isLarge={text === 'large'}
            onLarge={() => setText(text === 'large' ? 'usual' : 'large')}
          />
        ))}
        {card === undefined && sitting.itemId !== null && (
          <GradeBar
            key={sitting.itemId}
            given={sitting.answers[sitting.itemId]?.label ?? null}
            seenAll={!isRun || seen.has(sitting.itemId)}
            onAnswer={answer}
            onUndo={sitting.history.length > 0 ? work.undo : null}
          />
        )}
      </div>
    </Page>
  )
}

/** The answer before, of this sitting, that is nearly the same as the shown one; null for none. */
function useAlike(sitting: Sitting) {
  // Answers are compared after the next item is painted.
  const painted = useDeferredValue(sitting)
  const alike = useMemo(() => {
    const shown = shownItems(painted).find(({ id }) => id === painted.itemId)
    return shown === undefined ? null : alikeAnswer(shown, gradedItems(painted))
  }, [painted])
  return painted.itemId === sitting.itemId ? alike : null
}

type Work = ReturnType<typeof useSitting>

function NothingToGrade({ work }: { readonly work: Work }): ReactNode {
  const { claimError, sitting } = work
  if (claimError !== null) return <ErrorState error={claimError} onRetry={work.retryClaim} />
  if (!sitting.isEmpty) return <RowsSkeleton rows={6} />
  return (
    <EmptyState title="Nothing left for you" action={<Button onClick={work.askAgain}>Ask again</Button>}>
      You graded everything of this round that is yours, or others hold the rest. What they leave comes back after ten
      minutes.
    </EmptyState>
  )
}

function OutboxNotices({ work: { outbox } }: { readonly work: Work }): ReactNode {
  const { waiting, failingSinceMs, refused } = outbox
  return (
    <div role="status" className={styles.notices}>
      {failingSinceMs !== null && (
        <Notice state="open">
          {waiting.length === 1 ? '1 grade waits' : `${waiting.length} grades wait`} to be sent since{' '}
          {clockTime(failingSinceMs)}. Go on: they are kept in this browser and sent as soon as the server answers.
        </Notice>
      )}
      {refused.map((message, index) => (
        <Notice key={`${index}:${message}`} state="wrong">
          A grade was not taken: {message}
        </Notice>
      ))}
    </div>
  )
}
