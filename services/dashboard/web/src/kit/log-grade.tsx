import type { Verdict } from '@ratchet/contracts/criteria'
import { listLabels } from '@ratchet/contracts/labels'
import { gradeOne, readMarks } from '@ratchet/contracts/session-labels'
import { getSetupStatus } from '@ratchet/contracts/setup-status'
import type { ReactNode } from 'react'
import { useWorkspace } from '../api/me.ts'
import { reasonAgainst } from '../api/rights.ts'
import { useAct } from '../api/use-act.ts'
import { GradeBar } from './grade-bar.tsx'
import { toast } from './toast.tsx'

interface LogGradeProps {
  readonly logId: string
  readonly mine: Verdict | null
  readonly judgeId: string | undefined
  readonly onJudge: (id: string | undefined) => void
  /** False after a verdict on the entry was on the screen. */
  readonly isBlind: boolean
  readonly onGraded?: () => void
}

/** Grades the open entry. A person chose to grade it, so the grade is stored as `picked`. */
export function LogGrade({ logId, mine, judgeId, onJudge, isBlind, onGraded }: LogGradeProps): ReactNode {
  const reason = reasonAgainst('grader', useWorkspace())
  const grade = useAct(gradeOne, {
    changes: [readMarks, listLabels, getSetupStatus],
    onDone: ({ label }) => {
      toast(`Graded as ${label}.`)
      onGraded?.()
    },
  })
  return (
    <GradeBar
      unit="request"
      judgeId={judgeId}
      onJudge={onJudge}
      mine={mine}
      reason={reason}
      isRunning={grade.isPending}
      error={grade.error}
      onGrade={(given) => grade.mutate({ body: { unit: 'request', log_id: logId, blind: isBlind, ...given } })}
    />
  )
}
