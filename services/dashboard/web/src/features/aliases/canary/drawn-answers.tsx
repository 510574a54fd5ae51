import { Button } from '@mantine/core'
import { nextToGradeOfGate } from '@ratchet/contracts/alias-gate'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { count } from '../../../kit/numbers.ts'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { DrawnAnswer } from './drawn-answer.tsx'
import { drawnItems } from './drawn-item.ts'

type Drawn = (typeof nextToGradeOfGate.reply)['_output']

/**
 * Answers of both arms at random, whose grades count for the gate. They are drawn only when a person asks for them, and once: a
 * further draw would offer more than the person grades.
 */
export function DrawnAnswers({ name }: { readonly name: string }): ReactNode {
  const reason = reasonAgainst('grader', useWorkspace())
  const [draws, setDraws] = useState(false)
  const options = { enabled: draws, readsOnce: true }
  const drawn = useEndpoint(nextToGradeOfGate, { params: { name }, query: { limit: 20 } }, options)
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
          <>
            <p className="dimmed">No further answer is scored. Draw again when there is more traffic.</p>
            <DrawMore query={drawn} />
          </>
        ) : (
          <DrawnList key={drawn.dataUpdatedAt} drawn={found} more={<DrawMore query={drawn} />} />
        )
      }
    </Loaded>
  )
}

function DrawMore({ query }: { readonly query: Pick<UseQueryResult, 'refetch' | 'isFetching'> }): ReactNode {
  return (
    <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
      Draw more
    </Button>
  )
}

interface DrawnListProps {
  readonly drawn: Drawn
  /** Shown when all are graded. */
  readonly more: ReactNode
}

/** One after the other, because what is skipped counts against the canary. */
function DrawnList({ drawn: { criterion_id: judgeId, data }, more }: DrawnListProps): ReactNode {
  const items = drawnItems(data)
  const [graded, setGraded] = useState(0)
  const [isOpen, setIsOpen] = useState(false)
  const item = items[graded]
  const what = items[0]?.unit === 'trace' ? 'runs' : 'answers'
  if (item === undefined) {
    return (
      <>
        <p>
          All {count(items.length)} drawn {what} are graded.
        </p>
        {more}
      </>
    )
  }
  return (
    <div style={{ marginTop: 12 }}>
      <p>
        {count(items.length)} {what} are drawn, {count(graded)} of them graded. Grade all, in this order: what is
        skipped counts against the canary.
      </p>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        {graded === 0 ? 'Grade them' : 'Grade the others'}
      </Button>
      <DrawnAnswer
        item={item}
        title={`${what === 'runs' ? 'Run' : 'Answer'} ${graded + 1} of ${items.length}`}
        judgeId={judgeId}
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        onGraded={() => setGraded(graded + 1)}
      />
    </div>
  )
}
