import type { Verdict } from '@ratchet/contracts/criteria'
import type { GrpoAudit } from '@ratchet/contracts/grpo-progress'
import { gradeOne } from '@ratchet/contracts/session-labels'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../../api/use-act.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Conversation } from '../../../kit/conversation/conversation.tsx'
import { GradeButton } from '../../../kit/grade-bar.tsx'
import { count, percent } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { toast } from '../../../kit/toast.tsx'
import { Figures } from '../figures.tsx'
import styles from '../training.module.css'
import { firstUngraded, nextUngraded } from './audit-places.ts'
import { WalkAnswers } from './walk-answers.tsx'

interface AuditPartProps {
  readonly audit: Pick<GrpoAudit, 'data' | 'graded' | 'false_pass' | 'upper'>
  /** Says which answers these are. */
  readonly about: string
  /** Says why there are none. */
  readonly empty: string
  /** Endpoints whose replies a grade changes. */
  readonly changes: readonly { readonly path: string }[]
}

/** Grades answers one after the other. No verdict is on the page, so grades are blind. */
export function AuditPart({ audit, about, empty, changes }: AuditPartProps): ReactNode {
  const { data, graded, false_pass: falsePass, upper } = audit
  const [n, setN] = useState(() => firstUngraded(data))
  const answer = data[n - 1]
  const act = useAct(gradeOne, {
    changes,
    onDone: (_label, { body }) => {
      toast('The grade is stored.')
      const given = body as { readonly rollout_id: string }
      setN(nextUngraded(data, given.rollout_id))
    },
  })
  const grade = (label: Verdict) => {
    if (answer !== undefined) act.mutate({ body: { unit: 'answer', rollout_id: answer.rollout_id, label } })
  }
  const isOff = answer === undefined || act.isPending
  useKey('grade.fail', () => grade('fail'), { enabled: !isOff })
  useKey('grade.pass', () => grade('pass'), { enabled: !isOff })
  if (answer === undefined) return <EmptyState title="No answers">{empty}</EmptyState>
  const go = (place: number) => {
    act.reset()
    setN(place)
  }
  return (
    <div className={styles.parts}>
      <p className="dimmed">{about}</p>
      <Figures
        label="Grades of the audit"
        figures={[
          ['Graded', `${count(graded)} of ${count(data.length)}`],
          ['False passes', count(falsePass)],
          ['Rate of false passes', upper === null ? '–' : `at most ${percent(upper)}`],
        ]}
      />
      <WalkAnswers n={n} total={data.length} onGo={go} />
      <section className={styles.choices} aria-label="Your grade">
        <GradeButton label="fail" isOff={isOff} onGrade={grade} />
        <GradeButton label="pass" isOff={isOff} onGrade={grade} />
        <span aria-live="polite">
          {answer.grade !== null && (
            <StateLabel state={answer.grade === 'pass' ? 'proven' : 'wrong'}>You graded it: {answer.grade}</StateLabel>
          )}
        </span>
      </section>
      {act.error !== null && <ErrorState error={act.error} />}
      <Card title="Prompt">
        <Conversation messages={answer.messages} />
      </Card>
      <Card title="Answer">
        <Conversation messages={answer.completion} />
      </Card>
    </div>
  )
}
