import { Button } from '@mantine/core'
import { listAliases } from '@ratchet/contracts/aliases'
import { getSetupStatus, type SetupStatus } from '@ratchet/contracts/setup-status'
import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { usePolling } from '../../api/use-polling.ts'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { Card, Page } from '../../kit/page.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { PartBoundary } from '../../kit/states/part-boundary.tsx'
import { LoopRing } from '../../pictures/loop-ring.tsx'
import { railEntriesOf } from '../../shell/rail-entries.ts'
import { useFeatures } from '../../shell/use-features.ts'
import { EventList } from './event-list.tsx'
import styles from './home.module.css'
import { homeReads } from './home-reads.ts'
import { JudgeStrip } from './judge-strip.tsx'
import { loopSteps, stepTakesText, untilJudgeActs } from './loop-steps.ts'
import { NeedList } from './need-list.tsx'
import { nextSteps, pathOfStep } from './next-step.ts'
import { SetupSteps } from './setup-steps.tsx'

/** Traffic and grades move the loop without a message for each. */
const everyMs = 10_000

/** It is below the fold, so it is loaded after what is above it. */
const TrafficCard = lazy(async () => ({ default: (await import('./traffic-card.tsx')).TrafficCard }))
const EvalsCount = lazy(async () => ({ default: (await import('./evals-count.tsx')).EvalsCount }))

/** What the next step is, and whether anything is wrong. */
export function HomePage(): ReactNode {
  const status = useEndpoint(getSetupStatus, {}, { topics: ['setup', 'judges', 'evals', 'aliases'] })
  usePolling(status.refetch, true, everyMs)
  return (
    <Page title="Home">
      <div className={styles.columns}>
        <Card title="The loop">
          <Loaded query={status}>{(data) => <Loop status={data} />}</Loaded>
        </Card>
        <Card title="Needs you">
          <NeedList />
        </Card>
      </div>
      <EventList />
      <JudgeStrip />
      {status.isSuccess && (
        <PartBoundary>
          <Suspense>
            <TrafficCard />
          </Suspense>
        </PartBoundary>
      )}
    </Page>
  )
}

function Loop({ status }: { readonly status: SetupStatus }): ReactNode {
  const slug = useWorkspaceSlug()
  const railPaths = railEntriesOf(useFeatures()).map(({ path }) => path)
  const aliases = useEndpoint(listAliases, homeReads.aliases, { topics: ['aliases'] }).data?.total ?? null
  const [evals, setEvals] = useState<number | null>(null)
  const { action } = status.next
  const { right } = nextSteps[action]
  const workspace = useWorkspace()
  const reason = right === null ? null : reasonAgainst(right, workspace)
  const path = pathOfStep(action, railPaths)
  const untilActs = untilJudgeActs(status)
  const takes = stepTakesText(status)
  return (
    <>
      <PartBoundary>
        <Suspense>
          <EvalsCount onCount={setEvals} />
        </Suspense>
      </PartBoundary>
      <LoopRing steps={loopSteps({ status, aliases, evals })} />
      <div className={styles.next}>
        <span>
          <strong>{action === 'none' ? 'The loop is closed.' : 'Next:'}</strong> {nextSteps[action].why}
        </span>
        {untilActs !== null && <span>{untilActs}</span>}
        {takes !== null && <span>{takes}</span>}
        {path !== null && reason === null && (
          <Button renderRoot={(props) => <Link {...props} to={`/w/${slug}/${path}`} />}>
            {nextSteps[action].label}
          </Button>
        )}
        {reason !== null && <span className="dimmed">{reason}</span>}
      </div>
      {action !== 'none' && <SetupSteps action={action} railPaths={railPaths} />}
    </>
  )
}
