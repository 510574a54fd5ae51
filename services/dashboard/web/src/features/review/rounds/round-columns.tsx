import { Anchor } from '@mantine/core'
import type { Criterion } from '@ratchet/contracts/criteria'
import { closeRound, getRound, listRounds, type ReviewRound } from '@ratchet/contracts/review-rounds'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { count, countOf } from '../../../kit/numbers.ts'
import { SmallAction } from '../../../kit/small-action.tsx'
import { type State, StateLabel } from '../../../kit/state-mark.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { duration } from '../../../kit/time.ts'
import { TimeText } from '../../../kit/time-text.tsx'
import { EvidencePicture } from '../evidence-picture.tsx'
import { useForecast } from '../forecast/use-forecast.ts'

const states: Record<ReviewRound['status'], State> = {
  preparing: 'open',
  open: 'open',
  closed: 'none',
  failed: 'wrong',
}

export function roundColumns(
  slug: string,
  judges: readonly Pick<Criterion, 'id' | 'name'>[],
  person: (userId: string) => string,
): readonly Column<ReviewRound>[] {
  const nameOf = (id: string) => judges.find((judge) => judge.id === id)?.name ?? 'a judge that was deleted'
  return [
    {
      id: 'judge',
      header: 'Judge',
      cell: ({ id, criterion_id: criterion }) => (
        <Anchor
          size="sm"
          renderRoot={(props) => <Link {...props} to="/w/$slug/review/$round" params={{ slug, round: id }} />}
        >
          {nameOf(criterion)}
        </Anchor>
      ),
    },
    {
      id: 'status',
      header: 'State',
      width: 110,
      cell: ({ status }) => <StateLabel state={states[status]}>{status}</StateLabel>,
    },
    { id: 'progress', header: 'Progress', width: 130, cell: progressText },
    { id: 'evidence', header: 'Evidence', width: 280, cell: (round) => <Evidence round={round} />, onPhone: false },
    { id: 'left', header: 'Left', width: 120, cell: (round) => <Left round={round} />, onPhone: false },
    {
      id: 'who',
      header: 'Who',
      cell: ({ graders }) =>
        graders.length === 0 ? <span className="dimmed">nobody yet</span> : graders.map(person).join(', '),
      onPhone: false,
    },
    {
      id: 'created',
      header: 'Opened',
      width: 110,
      cell: (round) => <TimeText at={round.created_at} />,
      onPhone: false,
    },
    { id: 'close', header: '', width: 80, cell: (round) => <CloseButton round={round} />, onPhone: false },
  ]
}

function progressText({
  status,
  progress,
  graded,
  frame_rows: rows,
  unit,
  not_seen: notSeen,
  waiting_for: waitingFor,
}: ReviewRound): ReactNode {
  if (status === 'preparing') {
    const verdicts = `${count(progress.done)} of ${count(progress.total)} verdicts`
    return waitingFor === null ? verdicts : `${verdicts}. It waits: ${waitingFor}`
  }
  const parts = `${count(graded)} of ${unit === 'trace' ? countOf(rows, 'run') : count(rows)}`
  return notSeen === 0 ? parts : `${parts}, ${count(notSeen)} without the last step`
}

function useDetails({ id, status, graded }: ReviewRound) {
  const enabled = status !== 'preparing' && graded > 0
  return useEndpoint(getRound, { params: { id } }, { enabled, topics: [`round:${id}`] }).data
}

function Evidence({ round }: { readonly round: ReviewRound }): ReactNode {
  const details = useDetails(round)
  if (details === undefined) return <span className="dimmed">{round.graded === 0 ? 'none yet' : '…'}</span>
  if (details.evidence === null) return <span className="dimmed">not enough grades yet</span>
  return <EvidencePicture evidence={details.evidence} isSmall />
}

/** Further grades and minutes until the judge is proven, with an even chance of less. */
function Left({ round }: { readonly round: ReviewRound }): ReactNode {
  const details = useDetails(round)
  const forecast = useForecast(round.status === 'open' ? details?.strata : undefined)
  if (forecast === undefined) return <span className="dimmed">–</span>
  const { expected } = forecast
  if (expected === null) return <span className="dimmed">not within reach</span>
  if (expected === 0) return 'proven'
  return `about ${countOf(expected, 'grade')}, ${duration((expected * round.shown_ms) / Math.max(1, round.graded))}`
}

function CloseButton({ round: { id, status } }: { readonly round: ReviewRound }): ReactNode {
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const [asks, setAsks] = useState(false)
  const act = useAct(closeRound, { changes: [listRounds, getRound], onDone: () => setAsks(false) })
  if (status !== 'open') return null
  return (
    <>
      <SmallAction reason={reason} isRunning={act.isPending} error={null} onPress={() => setAsks(true)}>
        Close
      </SmallAction>
      <Confirm
        opened={asks}
        onClose={() => setAsks(false)}
        title="Close this round?"
        verb="Close the round"
        isRunning={act.isPending}
        error={act.error}
        onConfirm={() => act.mutate({ params: { id } })}
      >
        No further items are given out, and it cannot be opened again. Its grades count, also those that people still
        give to items they hold.
      </Confirm>
    </>
  )
}
