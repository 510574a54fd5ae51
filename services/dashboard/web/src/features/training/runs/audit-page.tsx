import type { Verdict } from '@ratchet/contracts/criteria'
import { type GrpoAudit, getGrpoAudit, getGrpoGuard } from '@ratchet/contracts/grpo-progress'
import { createLabels } from '@ratchet/contracts/labels'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Conversation } from '../../../kit/conversation/conversation.tsx'
import { CopyText } from '../../../kit/copy-text.tsx'
import { GradeButton } from '../../../kit/grade-bar.tsx'
import { count, percent } from '../../../kit/numbers.ts'
import { Card, Page } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { toast } from '../../../kit/toast.tsx'
import { Figures } from '../figures.tsx'
import styles from '../training.module.css'
import { AboveRun } from './above-run.tsx'
import { firstUngraded, nextUngraded } from './audit-places.ts'
import { WalkAnswers } from './walk-answers.tsx'

const route = getRouteApi('/w/$slug/training/runs/$id/audit')

/** Grades the answers that the reward likes best. No verdict is on the page, so grades are blind. */
export function AuditPage(): ReactNode {
  const { id } = route.useParams()
  const { step } = route.useSearch() as { step?: string }
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const query = step === undefined ? {} : { step }
  const audit = useEndpoint(getGrpoAudit, { params: { id }, query }, { enabled: reason === null })
  return (
    <Page title="Audit" lead={<CopyText text={id} label="Copy the id of the run" />} above={<AboveRun id={id} />}>
      {reason === null ? (
        <Loaded query={audit}>{(found) => <Audit key={found.step} audit={found} />}</Loaded>
      ) : (
        <Notice state="none">{reason}</Notice>
      )}
    </Page>
  )
}

function Audit({ audit }: { readonly audit: GrpoAudit }): ReactNode {
  const { data, graded, false_pass: falsePass, upper } = audit
  const [n, setN] = useState(() => firstUngraded(data))
  const answer = data[n - 1]
  const act = useAct(createLabels, {
    changes: [getGrpoAudit, getGrpoGuard],
    onDone: (_label, { body }) => {
      toast('The grade is stored.')
      const given = body as { readonly rollout_id: string }
      setN(nextUngraded(data, given.rollout_id))
    },
  })
  const grade = (label: Verdict) => {
    if (answer !== undefined) act.mutate({ body: { rollout_id: answer.rollout_id, label } })
  }
  const isOff = answer === undefined || act.isPending
  useKey('grade.fail', () => grade('fail'), { enabled: !isOff })
  useKey('grade.pass', () => grade('pass'), { enabled: !isOff })
  if (answer === undefined) {
    return <EmptyState title="No answers">No look of the run was judged yet, so there is nothing to grade.</EmptyState>
  }
  const go = (place: number) => {
    act.reset()
    setN(place)
  }
  return (
    <div className={styles.parts}>
      <p className="dimmed">
        These are the answers of the look at step {count(audit.step)} that the reward likes best. An answer that you
        fail is a false pass: the reward is wrong about it.
      </p>
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
