import { Anchor } from '@mantine/core'
import { getCriterion } from '@ratchet/contracts/criteria'
import { getRound, type ReviewRoundDetails } from '@ratchet/contracts/review-rounds'
import { Link, useParams } from '@tanstack/react-router'
import { type ComponentProps, type ReactNode, useRef } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Page } from '../../../kit/page.tsx'
import { Progress } from '../../../kit/progress.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { WaitingFor } from '../../../kit/states/waiting-for.tsx'
import styles from './grading.module.css'
import { GradingScreen } from './grading-screen.tsx'

/** One item, one decision. */
export function GradingPage(): ReactNode {
  const { round: id = '' } = useParams({ strict: false })
  const round = useEndpoint(getRound, { params: { id } })
  if (round.data === undefined) return <Starting query={round} />
  return <Loaded query={round}>{(data) => <RoundPage key={data.id} round={data} />}</Loaded>
}

/** The page until it is known what is graded. */
function Starting({ query }: { readonly query: ComponentProps<typeof Loaded>['query'] }): ReactNode {
  return (
    <Page
      title="Review"
      above={
        <div className={styles.head}>
          <BackToRounds />
        </div>
      }
    >
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function RoundPage({ round }: { readonly round: ReviewRoundDetails }): ReactNode {
  const reason = reasonAgainst('grader', useWorkspace())
  const criterion = useEndpoint(getCriterion, { params: { id: round.criterion_id } })
  // Who grades goes on to the end of what they hold when the round is closed meanwhile.
  const isGrading = useRef(false)
  if (round.status === 'open') isGrading.current = true
  if (criterion.data === undefined) return <Starting query={criterion} />
  return (
    <Loaded query={criterion}>
      {(judge) => {
        if (reason === null && isGrading.current) return <GradingScreen round={round} judge={judge} />
        return (
          <Page title={judge.name} above={<BackToRounds />}>
            {reason !== null ? <Notice state="none">{reason}</Notice> : <NotOpen round={round} />}
          </Page>
        )
      }}
    </Loaded>
  )
}

function BackToRounds(): ReactNode {
  const slug = useWorkspaceSlug()
  return (
    <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/w/$slug/review" params={{ slug }} />}>
      All rounds
    </Anchor>
  )
}

function NotOpen({ round }: { readonly round: ReviewRoundDetails }): ReactNode {
  const { status, progress, waiting_for: waitingFor, error, id } = round
  // Only a round that is not graded yet is read again while the page is open: nothing arrives between two grades.
  const { refetch } = useEndpoint(getRound, { params: { id } }, { topics: [`round:${id}`] })
  usePolling(refetch, status === 'preparing')
  if (status === 'preparing') {
    return (
      <>
        <Progress label="The judge gives the verdicts that form the groups" {...progress} />
        {waitingFor !== null && <WaitingFor reason={waitingFor} />}
      </>
    )
  }
  if (status === 'failed') return <Notice state="wrong">{error ?? 'The round could not be prepared.'}</Notice>
  return (
    <EmptyState title="This round is closed" action={<BackToRounds />}>
      Its grades count in every calibration of the judge.
    </EmptyState>
  )
}
