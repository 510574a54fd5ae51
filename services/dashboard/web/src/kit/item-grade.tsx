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

export type GradedItem =
  | { readonly unit: 'request'; readonly log_id: string }
  | { readonly unit: 'trace'; readonly trace_id: string }

interface ItemGradeProps {
  readonly item: GradedItem
  readonly mine: Verdict | null
  readonly judgeId: string | undefined
  readonly onJudge: (id: string | undefined) => void
  /** False after a verdict on it was on the screen. */
  readonly isBlind: boolean
  readonly onGraded?: () => void
}

/** Grades the open entry or run. A person chose to grade it, so the grade is stored as `picked`. */
export function ItemGrade({ item, mine, judgeId, onJudge, isBlind, onGraded }: ItemGradeProps): ReactNode {
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
      unit={item.unit}
      judgeId={judgeId}
      onJudge={onJudge}
      mine={mine}
      reason={reason}
      isRunning={grade.isPending}
      error={grade.error}
      onGrade={(given) => grade.mutate({ body: { ...item, blind: isBlind, ...given } })}
    />
  )
}
