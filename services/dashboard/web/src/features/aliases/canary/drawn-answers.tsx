import { Button } from '@mantine/core'
import { nextToGradeOfGate } from '@ratchet/contracts/alias-gate'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { count } from '../../../kit/numbers.ts'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import styles from '../aliases.module.css'
import { DrawnAnswer } from './drawn-answer.tsx'

type Drawn = (typeof nextToGradeOfGate.reply)['_output']

/** Answers of both arms at random, whose grades count for the gate. They are drawn only when a person asks for them. */
export function DrawnAnswers({ name }: { readonly name: string }): ReactNode {
  const reason = reasonAgainst('grader', useWorkspace())
  const [draws, setDraws] = useState(false)
  const drawn = useEndpoint(nextToGradeOfGate, { params: { name }, query: { limit: 20 } }, { enabled: draws })
  if (!draws) {
    return (
      <div style={{ marginTop: 12 }}>
        <NotPermitted reason={reason}>
          {(disabled) => (
            <Button variant="default" disabled={disabled} onClick={() => setDraws(true)}>
              Draw answers to grade
            </Button>
          )}
        </NotPermitted>
      </div>
    )
  }
  return (
    <Loaded query={drawn}>
      {(found) =>
        found.data.length === 0 ? (
          <p className="dimmed">No further answer is scored. Draw again when there is more traffic.</p>
        ) : found.data.some(({ log_id: log }) => log === null) ? (
          <DrawnRuns drawn={found} />
        ) : (
          <DrawnLogs drawn={found} />
        )
      }
    </Loaded>
  )
}

/** One after the other, because what is skipped counts against the canary. */
function DrawnLogs({ drawn: { criterion_id: judgeId, data } }: { readonly drawn: Drawn }): ReactNode {
  const logs = data.flatMap(({ log_id: log }) => log ?? [])
  const [graded, setGraded] = useState(0)
  const [isOpen, setIsOpen] = useState(false)
  const log = logs[graded]
  if (log === undefined) return <p>All {count(logs.length)} drawn answers are graded.</p>
  return (
    <div style={{ marginTop: 12 }}>
      <p>
        {count(logs.length)} answers are drawn, {count(graded)} of them graded. Grade all, in this order: what is
        skipped counts against the canary.
      </p>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        {graded === 0 ? 'Grade them' : 'Grade the others'}
      </Button>
      <DrawnAnswer
        logId={log}
        title={`Answer ${graded + 1} of ${logs.length}`}
        judgeId={judgeId}
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        onGraded={() => setGraded(graded + 1)}
      />
    </div>
  )
}

function DrawnRuns({ drawn: { data } }: { readonly drawn: Drawn }): ReactNode {
  const slug = useWorkspaceSlug()
  return (
    <div>
      <p>Grade these, whatever they are: a grade of a drawn run counts for the gate, and a run that is skipped too.</p>
      <ol className={styles.line}>
        {data.flatMap(({ trace_id: id }, index) =>
          id === null ? (
            []
          ) : (
            <li key={id}>
              <Link to="/w/$slug/traces/$id" params={{ slug, id }} search={{}}>
                Run {index + 1}
              </Link>
            </li>
          ),
        )}
      </ol>
    </div>
  )
}
