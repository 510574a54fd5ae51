import { Button, Textarea, UnstyledButton } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { useKey } from '../../../keys/key-context.ts'
import { KeyCaps } from '../../../kit/key-caps.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { reasons } from '../reasons.ts'
import styles from './grading.module.css'
import type { Answer } from './sitting.ts'
import type { GradeWords } from './use-sitting.ts'

interface GradeBarProps {
  /** The answer that the person gave before, when they look at it again. */
  readonly given: Answer | null
  /** Whether the last step of a run was on screen. Without it a decision needs a second thought. */
  readonly seenAll: boolean
  readonly onAnswer: (label: Answer, words: GradeWords) => void
  readonly onUndo: (() => void) | null
}

const answers = [
  ['fail', 'Fail', 'f'],
  ['pass', 'Pass', 'p'],
  ['unsure', 'Not sure', 'u'],
] as const

/** The decision. A digit fails the answer for a reason without a further key. */
export function GradeBar({ given, seenAll, onAnswer, onUndo }: GradeBarProps): ReactNode {
  const [rationale, setRationale] = useState('')
  const [isHeld, setIsHeld] = useState(false)
  const words = useRef<HTMLTextAreaElement>(null)
  const giveAnyway = (label: Answer, given: readonly string[] = []) =>
    onAnswer(label, { reasons: given, rationale: rationale.trim() === '' ? null : rationale.trim(), seenAll })
  const give: typeof giveAnyway = (label, given) => {
    if (seenAll || label === 'unsure') giveAnyway(label, given)
    else setIsHeld(true)
  }
  useKey('review.fail', () => give('fail'))
  useKey('review.pass', () => give('pass'))
  useKey('review.fail.anyway', () => giveAnyway('fail'))
  useKey('review.pass.anyway', () => giveAnyway('pass'))
  useKey('review.unsure', () => give('unsure'))
  useKey('review.why', () => words.current?.focus())
  useKey('submit', () => give('fail'))
  return (
    <div className={styles.bar}>
      <div role="status" className={styles.held}>
        {isHeld && !seenAll && <NotSeen onAnswer={giveAnyway} />}
      </div>
      {given !== null && (
        <p className={styles.given}>
          You said <strong>{given === 'unsure' ? 'not sure' : given}</strong>. Another answer takes its place.
        </p>
      )}
      <div className={styles.buttons}>
        {answers.map(([label, text, key]) => (
          <Button
            key={label}
            variant="default"
            className={styles.grade}
            data-label={label}
            onClick={() => give(label)}
            leftSection={<KeyCaps keys={key} />}
          >
            {text}
          </Button>
        ))}
        <Button
          variant="subtle"
          disabled={onUndo === null}
          onClick={() => onUndo?.()}
          leftSection={<KeyCaps keys="z" />}
        >
          Undo
        </Button>
      </div>
      <fieldset className={styles.reasons} aria-label="Fail for a reason">
        {reasons.map((reason, index) => (
          <ReasonButton key={reason} digit={index + 1} reason={reason} onPress={() => give('fail', [reason])} />
        ))}
        <Textarea
          ref={words}
          className={styles.words}
          aria-label="Reason in your own words"
          placeholder="own words (r)"
          autosize
          minRows={1}
          maxRows={4}
          value={rationale}
          onChange={({ currentTarget }) => setRationale(currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && words.current?.blur()}
        />
      </fieldset>
    </div>
  )
}

/** A run is graded by all its steps. Who cannot or need not see them says so, and that is stored with the grade. */
function NotSeen({ onAnswer }: { readonly onAnswer: (label: 'fail' | 'pass') => void }): ReactNode {
  return (
    <Notice
      state="open"
      action={
        <>
          <Button variant="default" size="compact-sm" onClick={() => onAnswer('fail')}>
            Fail anyway
          </Button>
          <Button variant="default" size="compact-sm" onClick={() => onAnswer('pass')}>
            Pass anyway
          </Button>
        </>
      }
    >
      The last step of this run was not on screen yet. Scroll to it, or press <KeyCaps keys="Shift+f" /> or{' '}
      <KeyCaps keys="Shift+p" />.
    </Notice>
  )
}

function ReasonButton(props: {
  readonly digit: number
  readonly reason: string
  readonly onPress: () => void
}): ReactNode {
  const { digit, reason, onPress } = props
  useKey(`review.reason.${digit}`, onPress)
  return (
    <UnstyledButton className={styles.reason} onClick={onPress}>
      <KeyCaps keys={String(digit)} /> {reason}
    </UnstyledButton>
  )
}
