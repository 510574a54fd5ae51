import { Button, Group, Textarea } from '@mantine/core'
import { type Adjudication, adjudicate, listAdjudications } from '@ratchet/contracts/review-people'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useList } from '../../../api/use-endpoint.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Conversation } from '../../../kit/conversation/conversation.tsx'
import { KeyCaps } from '../../../kit/key-caps.tsx'
import { NextLink } from '../../../kit/next-link.tsx'
import { countOf } from '../../../kit/numbers.ts'
import { Card, Page } from '../../../kit/page.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { RowsSkeleton } from '../../../kit/states/skeletons.tsx'
import { toast } from '../../../kit/toast.tsx'
import { ReviewTabs } from '../review-tabs.tsx'
import { JudgeChoice } from './judge-choice.tsx'
import styles from './people.module.css'

const route = getRouteApi('/w/$slug/review/adjudicate')

/** Items on which people disagree. A third person decides, without names and without the judge's verdict. */
export function AdjudicatePage(): ReactNode {
  const reason = reasonAgainst('grader', useWorkspace())
  const { criterion_id: id } = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/review/adjudicate' })
  return (
    <>
      <ReviewTabs />
      <Page
        title="Adjudicate"
        lead="People disagree about these. You see what they said and not who, and no verdict of the judge. Items that you graded yourself are left out."
        actions={
          <JudgeChoice
            value={id}
            onChange={(chosen) => void navigate({ search: chosen === undefined ? {} : { criterion_id: chosen } })}
          />
        }
      >
        {reason === null ? <Decisions criterionId={id} /> : <Notice state="none">{reason}</Notice>}
      </Page>
    </>
  )
}

function Decisions({ criterionId }: { readonly criterionId: string | undefined }): ReactNode {
  const list = useList(listAdjudications, { query: criterionId === undefined ? {} : { criterion_id: criterionId } })
  const [first] = list.rows
  if (list.isPending) return <RowsSkeleton />
  if (list.error && first === undefined) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />
  if (first === undefined) {
    return (
      <EmptyState title="Nothing to decide" action={<NextLink to="review">Grade in a round</NextLink>}>
        Nobody disagrees about an item that you may decide.
      </EmptyState>
    )
  }
  return (
    <>
      <p className="dimmed" style={{ margin: 0 }}>
        {countOf(list.total ?? list.rows.length, 'item')} to decide
      </p>
      <Decision key={first.id} item={first} />
    </>
  )
}

function Decision({ item }: { readonly item: Adjudication }): ReactNode {
  const [rationale, setRationale] = useState('')
  const act = useAct(adjudicate, {
    changes: [listAdjudications],
    onDone: ({ settled, label }) =>
      toast(settled ? `Settled: ${label}.` : 'Your grade is stored. It needs one more to be settled.'),
  })
  const decide = (label: 'pass' | 'fail') => {
    if (!act.isPending) act.mutate({ params: { id: item.id }, body: { label, rationale: rationale.trim() || null } })
  }
  useKey('review.fail', () => decide('fail'))
  useKey('review.pass', () => decide('pass'))
  return (
    <Card>
      <Conversation messages={item.messages} answer={item.response} />
      <div className={styles.sides}>
        {item.grades.map(({ label, rationale: said }, index) => (
          <div key={`${label}:${index}`} className={styles.side} data-label={label}>
            <strong>{label}</strong>
            <p>{said ?? <span className="dimmed">No reason given.</span>}</p>
          </div>
        ))}
      </div>
      <Textarea
        label="Your reason"
        autosize
        minRows={2}
        value={rationale}
        onChange={({ currentTarget }) => setRationale(currentTarget.value)}
      />
      {act.error && <ErrorState error={act.error} />}
      <Group gap={8} mt={12} grow maw={480}>
        <Button
          variant="default"
          loading={act.isPending}
          leftSection={<KeyCaps keys="f" />}
          onClick={() => decide('fail')}
        >
          Fail
        </Button>
        <Button
          variant="default"
          loading={act.isPending}
          leftSection={<KeyCaps keys="p" />}
          onClick={() => decide('pass')}
        >
          Pass
        </Button>
      </Group>
    </Card>
  )
}
