import { Button } from '@mantine/core'
import { listLogs } from '@ratchet/contracts/logs'
import { readMarks } from '@ratchet/contracts/session-labels'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { usePolling } from '../../api/use-polling.ts'
import { usePostedRead } from '../../api/use-posted-read.ts'
import { ItemGrade } from '../../kit/item-grade.tsx'
import { NotPermitted } from '../../kit/states/not-permitted.tsx'
import type { Answer } from './answer.ts'

interface AnswerGradeProps {
  readonly place: number
  readonly answer: Pick<Answer, 'state' | 'head' | 'session'>
  /** Whether the answer of this place is the one that is graded: the keys are those of one answer. */
  readonly isOpen: boolean
  readonly onOpen: () => void
}

/** Grades a complete answer that is in the log, as its entry there. */
export function AnswerGrade({ place, answer, isOpen, onOpen }: AnswerGradeProps): ReactNode {
  const reason = reasonAgainst('grader', useWorkspace())
  if (answer.state !== 'done') return null
  if (answer.head?.isLogged !== true) return <span className="dimmed">It is not logged, so it cannot be graded.</span>
  if (isOpen) return <LoggedGrade session={answer.session} />
  return (
    <NotPermitted reason={reason}>
      {(disabled) => (
        <Button variant="default" disabled={disabled} onClick={onOpen} aria-label={`Grade answer ${place + 1}`}>
          Grade
        </Button>
      )}
    </NotPermitted>
  )
}

/** The log stores entries some seconds after their answers. */
function LoggedGrade({ session }: { readonly session: string }): ReactNode {
  const [judgeId, setJudgeId] = useState<string>()
  const query = { conversation_id: session, content: 'none', limit: 1 } as const
  const found = useEndpoint(listLogs, { query }, { topics: ['logs'] })
  const id = found.data?.data[0]?.id
  usePolling(found.refetch, id === undefined)
  const marks = usePostedRead(readMarks, id === undefined ? null : { log_ids: [id] })
  if (id === undefined) {
    return (
      <span className="dimmed" role="status">
        Waiting until the log has it.
      </span>
    )
  }
  return (
    <ItemGrade
      item={{ unit: 'request', log_id: id }}
      mine={marks.data?.data[0]?.mine ?? null}
      judgeId={judgeId}
      onJudge={setJudgeId}
      isBlind
    />
  )
}
