import { Button } from '@mantine/core'
import { listCriteria } from '@ratchet/contracts/criteria'
import type { LiveTopic } from '@ratchet/contracts/live-topic'
import { listRounds } from '@ratchet/contracts/review-rounds'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint, useList } from '../../../api/use-endpoint.ts'
import { usePeople } from '../../../api/use-people.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Page } from '../../../kit/page.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { ReviewTabs } from '../review-tabs.tsx'
import { NewRound } from './new-round.tsx'
import { roundColumns } from './round-columns.tsx'

const route = getRouteApi('/w/$slug/review')

/** The rounds of the workspace: what there is to grade, and how far each is. */
export function RoundsPage(): ReactNode {
  const slug = useWorkspaceSlug()
  const { new: opens, criterion_id: criterionId } = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/review' })
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const criteria = useEndpoint(listCriteria, { query: { limit: 100 } })
  const person = usePeople()
  const filter = criterionId === undefined ? {} : { criterion_id: criterionId }
  const known = useList(listRounds, { query: filter })
  // The topics are those of the rounds that are shown, so the list is read again when one of them progresses.
  const topics = known.rows.map(({ id }): LiveTopic => `round:${id}`)
  const rounds = useList(listRounds, { query: filter, topics })
  usePolling(
    rounds.refetch,
    rounds.rows.some(({ status }) => status === 'preparing'),
  )
  const judges = criteria.data?.data
  const columns = useMemo(() => roundColumns(slug, judges ?? [], person), [slug, judges, person])
  const show = (isOpen: boolean) =>
    void navigate({ search: ({ new: _new, ...others }) => (isOpen ? { ...others, new: '1' } : others) })
  useKey('create', () => show(true), { enabled: reason === null })
  const create = (
    <NotPermitted reason={reason}>
      {(disabled) => (
        <Button disabled={disabled} onClick={() => show(true)}>
          New round
        </Button>
      )}
    </NotPermitted>
  )
  return (
    <>
      <ReviewTabs />
      <Page
        title="Review"
        lead="People grade a random part of the traffic without seeing what the judge said. What they agree on proves the judge."
        actions={create}
      >
        <ListTable
          label="Rounds"
          list={rounds}
          columns={columns}
          rowKey={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/w/$slug/review/$round', params: { slug, round: id } })}
          empty={
            <EmptyState title="No round yet" action={create}>
              A round draws exchanges once, lets the judge look at each, and gives people the ones that prove most.
            </EmptyState>
          }
        />
        {opens !== undefined && <NewRound judges={judges ?? []} chosen={criterionId} onClose={() => show(false)} />}
      </Page>
    </>
  )
}
