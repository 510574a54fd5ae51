import { Stack } from '@mantine/core'
import { readGraders } from '@ratchet/contracts/review-people'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { useMe } from '../../../api/me.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePeople } from '../../../api/use-people.ts'
import { Facts } from '../../../kit/facts.tsx'
import { LogLink } from '../../../kit/item-link.tsx'
import { NextLink } from '../../../kit/next-link.tsx'
import { count, percent, rate } from '../../../kit/numbers.ts'
import { Card, Page } from '../../../kit/page.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { DataTable } from '../../../kit/table/data-table.tsx'
import type { Bounds } from '../../../pictures/interval-sentence.ts'
import { trustBar } from '../../../pictures/trust-state.ts'
import { ReviewTabs } from '../review-tabs.tsx'
import { JudgeChoice } from './judge-choice.tsx'

const route = getRouteApi('/w/$slug/review/graders')
type Report = z.output<typeof readGraders.reply>
type Grader = Report['graders'][number]
type Pair = Report['pairs'][number]

/** How people agree with each other. There is no ranking: differences say where the definition is not clear. */
export function GradersPage(): ReactNode {
  const { criterion_id: id } = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/review/graders' })
  return (
    <>
      <ReviewTabs />
      <Page
        title="Graders"
        lead="How people who grade the same items agree. No judge can agree with people better than they agree with each other."
        actions={
          <JudgeChoice
            isRequired
            value={id}
            onChange={(chosen) => void navigate({ search: chosen === undefined ? {} : { criterion_id: chosen } })}
          />
        }
      >
        {id === undefined ? (
          <EmptyState title="Choose a judge" action={<NextLink to="judges">See the judges</NextLink>}>
            Agreement is that of the grades for one judge.
          </EmptyState>
        ) : (
          <GradersOf criterionId={id} />
        )}
      </Page>
    </>
  )
}

function GradersOf({ criterionId }: { readonly criterionId: string }): ReactNode {
  const report = useEndpoint(readGraders, { query: { criterion_id: criterionId } })
  const person = usePeople()
  const myId = useMe().user?.id
  return (
    <Loaded query={report}>
      {(data) =>
        data.graders.length === 0 ? (
          <EmptyState title="Nobody graded yet" action={<NextLink to="review">See the rounds</NextLink>}>
            Open a round, and let two people grade in it.
          </EmptyState>
        ) : (
          <Stack gap={16}>
            <Agreement report={data} />
            <Card title="People">
              <DataTable
                label="People who grade"
                columns={graderColumns(person, myId)}
                rows={data.graders}
                rowKey={(each) => each.grader_id}
              />
            </Card>
            {data.pairs.length > 0 && (
              <Card title="Pairs">
                <DataTable
                  label="Pairs of people"
                  columns={pairColumns(person)}
                  rows={data.pairs}
                  rowKey={(each) => each.grader_ids.join()}
                />
              </Card>
            )}
            {data.disagreements.length > 0 && (
              <Card title="Where people disagree most">
                <ul>
                  {data.disagreements.map((each) => (
                    <li key={each}>
                      <LogLink id={each} judgeId={criterionId} />
                    </li>
                  ))}
                </ul>
              </Card>
            )}
          </Stack>
        )
      }
    </Loaded>
  )
}

function Agreement({ report }: { readonly report: Report }): ReactNode {
  const {
    pairs_n: pairs,
    raw_agreement: raw,
    raw_agreement_ci: interval,
    cohen_kappa: kappa,
    fleiss_kappa: fleiss,
    ceiling,
  } = report
  return (
    <Card title="Agreement">
      <Facts
        facts={[
          ['Items with two grades', count(pairs)],
          ['Raw agreement', withBounds(raw, interval)],
          ["Cohen's kappa", kappa === null ? 'not known' : rate(kappa)],
          ["Fleiss' kappa", fleiss === null ? 'not known' : rate(fleiss)],
          ['Ceiling', ceiling === null ? 'not known' : withBounds(ceiling.rate, ceiling.ci)],
        ]}
      />
      {ceiling !== null && ceiling.ci[1] < trustBar && (
        <Notice state="wrong">
          People disagree so often that no number of grades proves a judge. Make the prompt of the judge sharper first.
        </Notice>
      )}
    </Card>
  )
}

function withBounds(value: number | null, bounds: Bounds | null): string {
  if (value === null) return 'not known'
  return bounds === null ? rate(value) : `${rate(value)} (${rate(bounds[0])} to ${rate(bounds[1])})`
}

function graderColumns(person: (id: string) => string, myId: string | undefined): readonly Column<Grader>[] {
  return [
    {
      id: 'who',
      header: 'Who',
      cell: (each) => (each.grader_id === myId ? `${person(each.grader_id)} (you)` : person(each.grader_id)),
    },
    { id: 'grades', header: 'Grades', isNumber: true, width: 80, cell: ({ grades }) => count(grades) },
    {
      id: 'seconds',
      header: 'Median time',
      isNumber: true,
      width: 110,
      onPhone: false,
      cell: ({ median_seconds: seconds }) => (seconds === null ? '–' : `${seconds.toFixed(0)} s`),
    },
    { id: 'fails', header: 'Fail rate', cell: (each) => withBounds(each.fail_rate, each.fail_rate_ci), onPhone: false },
    {
      id: 'majority',
      header: 'With the majority',
      cell: ({ agreement_with_majority: share }) => (share === null ? '–' : percent(share)),
      onPhone: false,
    },
    { id: 'self', header: 'With oneself', cell: selfText },
  ]
}

/** Only the person sees how often they contradict themselves. */
function selfText({ self_agreement: self, known }: Grader): ReactNode {
  const parts = [
    ...(self && self.n > 0 ? [`${self.same} of ${self.n} the same`] : []),
    ...(known && known.n > 0 ? [`${known.right} of ${known.n} known ones right`] : []),
  ]
  return parts.length === 0 ? <span className="dimmed">–</span> : parts.join(', ')
}

function pairColumns(person: (id: string) => string): readonly Column<Pair>[] {
  return [
    { id: 'who', header: 'Who', cell: ({ grader_ids: [a, b] }) => `${person(a)} and ${person(b)}` },
    { id: 'n', header: 'Items', isNumber: true, width: 80, cell: ({ n }) => count(n) },
    { id: 'raw', header: 'Raw agreement', cell: (pair) => withBounds(pair.raw_agreement, pair.raw_agreement_ci) },
    {
      id: 'kappa',
      header: "Cohen's kappa",
      onPhone: false,
      cell: ({ cohen_kappa: kappa }) => (kappa === null ? '–' : rate(kappa)),
    },
  ]
}
