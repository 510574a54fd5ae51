import { Button } from '@mantine/core'
import { listRaftRounds, type RaftRound } from '@ratchet/contracts/raft'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useList } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { useKey } from '../../../keys/key-context.ts'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { NextLink } from '../../../kit/next-link.tsx'
import { Page } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { TrainingTabs } from '../training-tabs.tsx'
import { acceptedText, isUnderWay, statusOf, titleOf } from './round-words.ts'

const route = getRouteApi('/w/$slug/training/raft')
const pollMs = 3_000

/** Rounds of reward-ranked fine-tuning. */
export function RoundsPage(): ReactNode {
  const { slug } = route.useParams()
  const navigate = useNavigate({ from: '/w/$slug/training/raft' })
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const start = () => void navigate({ to: '/w/$slug/training/raft/new', params: { slug }, search: {} })
  useKey('create', start, { enabled: reason === null })
  return (
    <Page
      title="RAFT"
      lead="Reward-ranked fine-tuning: a model answers many times, proven judges choose, and the model is trained on what they chose."
      above={<TrainingTabs />}
      actions={
        <NotPermitted reason={reason}>
          {(disabled) => (
            <Button disabled={disabled} onClick={start}>
              New round
            </Button>
          )}
        </NotPermitted>
      }
    >
      {reason === null ? <Rounds /> : <Notice state="none">{reason}</Notice>}
    </Page>
  )
}

function Rounds(): ReactNode {
  const { slug } = route.useParams()
  const navigate = useNavigate({ from: '/w/$slug/training/raft' })
  const rounds = useList(listRaftRounds)
  usePolling(rounds.refetch, rounds.rows.some(isUnderWay), pollMs)
  return (
    <ListTable
      label="Rounds"
      list={rounds}
      columns={columns}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: '/w/$slug/training/raft/$id', params: { slug, id } })}
      empty={
        <EmptyState title="No rounds yet" action={<NextLink to="training/raft/new">Start a round</NextLink>}>
          A round needs prompts, a model that can be trained, and a judge that is proven. It trains on nothing when too
          many of the accepted answers may be wrong.
        </EmptyState>
      }
    />
  )
}

const columns: readonly Column<RaftRound>[] = [
  { id: 'name', header: 'Round', cell: (round) => <strong>{titleOf(round)}</strong> },
  { id: 'status', header: 'Status', width: 140, cell: (round) => <Status round={round} /> },
  { id: 'accepted', header: 'Accepted', width: 180, cell: acceptedText, onPhone: false },
  { id: 'cost', header: 'Cost', width: 100, isNumber: true, cell: (round) => moneyText(microOfUsd(round.cost_usd)) },
  { id: 'created', header: 'Started', width: 130, cell: (round) => <TimeText at={round.created_at} />, onPhone: false },
]

function Status({ round }: { readonly round: RaftRound }): ReactNode {
  const { word, state } = statusOf(round)
  return <StateLabel state={state}>{word}</StateLabel>
}
