import { getLabel, type Label } from '@ratchet/contracts/labels'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { type GradedItem, ItemGrade } from '../../../kit/item-grade.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { useJudge } from '../detail/judge-context.ts'

/** Grades the item of a row again, now with the verdict on screen, so the grade is not blind. */
export function GradeAgain({ labelId }: { readonly labelId: string }): ReactNode {
  const { id } = useJudge()
  const label = useEndpoint(getLabel, { params: { id: labelId } })
  return (
    <Loaded query={label}>
      {(found) => {
        const item = itemOf(found)
        return (
          <>
            {found.rationale !== null && <p>Reason: {found.rationale}</p>}
            {item === null ? (
              <p className="dimmed">This answer is in no log, so it cannot be graded again.</p>
            ) : (
              <ItemGrade
                key={labelId}
                item={item}
                mine={null}
                judgeId={id}
                // The grade is for the judge of this page.
                onJudge={() => undefined}
                isBlind={false}
              />
            )}
          </>
        )
      }}
    </Loaded>
  )
}

function itemOf({ unit, log_id: logId, trace_id: traceId }: Label): GradedItem | null {
  if (unit === 'trace') return traceId === null ? null : { unit, trace_id: traceId }
  return logId === null ? null : { unit, log_id: logId }
}
