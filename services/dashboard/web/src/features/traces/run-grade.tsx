import { listLabels } from '@ratchet/contracts/labels'
import { gradeOne } from '@ratchet/contracts/session-labels'
import { getSetupStatus } from '@ratchet/contracts/setup-status'
import type { Trace } from '@ratchet/contracts/traces'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useAct } from '../../api/use-act.ts'
import { GradeBar } from '../../kit/grade-bar.tsx'
import { toast } from '../../kit/toast.tsx'

interface RunGradeProps {
  readonly trace: Pick<Trace, 'id' | 'completed'>
  readonly judgeId: string | undefined
  readonly onJudge: (id: string | undefined) => void
}

/** Grades the complete run, for judges of runs. No verdict is on this page, so the grade is blind. */
export function RunGrade({ trace, judgeId, onJudge }: RunGradeProps): ReactNode {
  const right = reasonAgainst('grader', useWorkspace())
  const isOpen = trace.completed ? null : 'A run can be graded once it is completed.'
  const [mine, setMine] = useState<'pass' | 'fail' | null>(null)
  const grade = useAct(gradeOne, {
    changes: [listLabels, getSetupStatus],
    onDone: ({ label }) => {
      setMine(label)
      toast(`The run is graded as ${label}.`)
    },
  })
  return (
    <GradeBar
      unit="trace"
      judgeId={judgeId}
      onJudge={onJudge}
      mine={mine}
      reason={right ?? isOpen}
      isRunning={grade.isPending}
      error={grade.error}
      onGrade={(given) => grade.mutate({ body: { unit: 'trace', trace_id: trace.id, blind: true, ...given } })}
    />
  )
}
