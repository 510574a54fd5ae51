import { Button, Select, Textarea } from '@mantine/core'
import { type Criterion, listCriteria, type Verdict } from '@ratchet/contracts/criteria'
import { type ReactNode, useRef, useState } from 'react'
import { useEndpoint } from '../api/use-endpoint.ts'
import { useKey, useKeysOf } from '../keys/key-context.ts'
import { firstWords } from './conversation/message-lines.ts'
import styles from './grade-bar.module.css'
import { KeyCaps } from './key-caps.tsx'
import { StateLabel } from './state-mark.tsx'
import { ErrorState } from './states/error-state.tsx'

/** Characters of the judge's prompt; the page of the judge has all of it. */
const shownPrompt = 280

interface NewGrade {
  readonly label: Verdict
  /** Null: the grade counts for every judge whose population has the item. */
  readonly criterion_id: string | null
  readonly rationale: string | null
}

interface GradeBarProps {
  readonly unit: Criterion['unit']
  /** The judge that the grade is for. */
  readonly judgeId: string | undefined
  readonly onJudge: (id: string | undefined) => void
  readonly onGrade: (grade: NewGrade) => void
  /** The grade that the person gave. */
  readonly mine: Verdict | null
  readonly isRunning: boolean
  readonly error: unknown
  /** Why the person cannot grade; null when she can. */
  readonly reason: string | null
}

/** Grades what is open beside it: `f`, `p`, and `r` for the reason. */
export function GradeBar(props: GradeBarProps): ReactNode {
  const { unit, judgeId, onJudge, onGrade, mine, isRunning, error, reason } = props
  const judges = useEndpoint(listCriteria, { query: { unit, status: 'draft', limit: 200 } }).data?.data ?? []
  const prompt = judges.find(({ id }) => id === judgeId)?.judge_prompt
  const [why, setWhy] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const isOff = reason !== null || isRunning
  const grade = (label: Verdict) => {
    const rationale = why.trim() === '' ? null : why.trim()
    onGrade({ label, criterion_id: judgeId ?? null, rationale })
    setWhy('')
  }
  useKey('grade.fail', () => grade('fail'), { enabled: !isOff })
  useKey('grade.pass', () => grade('pass'), { enabled: !isOff })
  useKey('grade.why', () => field.current?.focus(), { enabled: !isOff })
  return (
    <section className={styles.bar} aria-label="Your grade">
      <div className={styles.line}>
        <Select
          aria-label="Judge that the grade is for"
          data={judges.map(({ id: value, name: label }) => ({ value, label }))}
          value={judgeId ?? null}
          placeholder="Every judge of this traffic"
          onChange={(id) => onJudge(id ?? undefined)}
          clearable
          className={styles.judge ?? ''}
        />
        <div className={styles.buttons}>
          <GradeButton label="fail" isOff={isOff} onGrade={grade} />
          <GradeButton label="pass" isOff={isOff} onGrade={grade} />
        </div>
        <span aria-live="polite">
          {mine !== null && <StateLabel state={mine === 'pass' ? 'proven' : 'wrong'}>You graded it: {mine}</StateLabel>}
        </span>
      </div>
      {prompt !== undefined && (
        <p className={styles.definition} title={prompt}>
          <strong>Fails when</strong> {firstWords(prompt, shownPrompt)}
        </p>
      )}
      {reason !== null && <span className="dimmed">{reason}</span>}
      <Textarea
        ref={field}
        aria-label="Reason of the grade"
        placeholder="Reason, if there is one to write down"
        autosize
        minRows={1}
        maxRows={5}
        maxLength={10_000}
        disabled={reason !== null}
        value={why}
        onChange={({ currentTarget }) => setWhy(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          event.currentTarget.blur()
        }}
      />
      {error !== null && <ErrorState error={error} />}
    </section>
  )
}

interface GradeButtonProps {
  readonly label: Verdict
  readonly isOff: boolean
  readonly onGrade: (label: Verdict) => void
}

/** A verdict to give, with its key. */
export function GradeButton({ label, isOff, onGrade }: GradeButtonProps): ReactNode {
  const keys = useKeysOf(`grade.${label}`)
  return (
    <Button
      variant="default"
      disabled={isOff}
      onClick={() => onGrade(label)}
      rightSection={keys === null ? undefined : <KeyCaps keys={keys} />}
    >
      {label === 'fail' ? 'Fail' : 'Pass'}
    </Button>
  )
}
