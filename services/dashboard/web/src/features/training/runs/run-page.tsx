import { type GrpoRun, getGrpoRun } from '@ratchet/contracts/grpo'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { AboveList } from '../../../kit/above.tsx'
import { CopyText } from '../../../kit/copy-text.tsx'
import { count, countOf } from '../../../kit/numbers.ts'
import { Card, Page } from '../../../kit/page.tsx'
import { Progress } from '../../../kit/progress.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import styles from '../training.module.css'
import { ChartsPart } from './charts-part.tsx'
import { GuardPart } from './guard-part.tsx'
import { JudgesPart } from './judges-part.tsx'
import { MoneyPart } from './money-part.tsx'
import { RunActions } from './run-actions.tsx'
import { RunFacts } from './run-facts.tsx'
import { endText, isUnderWay, rewardText, statusOf, waitText } from './run-words.ts'

const route = getRouteApi('/w/$slug/training/runs/$id')
const pollMs = 2_000

/** A GRPO run: how its reward went, what the guard found, and what it costs. */
export function RunPage(): ReactNode {
  const { id } = route.useParams()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const found = useEndpoint(getGrpoRun, { params: { id } }, { enabled: reason === null })
  usePolling(found.refetch, found.data !== undefined && isUnderWay(found.data), pollMs)
  return (
    <Page
      title={found.data?.name ?? 'GRPO run'}
      lead={<CopyText text={id} label="Copy the id of the run" />}
      above={<AboveList of="training/runs" />}
      actions={found.data && <RunActions run={found.data} />}
    >
      {reason === null ? (
        <Loaded query={found}>{(run) => <Parts run={run} />}</Loaded>
      ) : (
        <Notice state="none">{reason}</Notice>
      )}
    </Page>
  )
}

interface RunProps {
  readonly run: GrpoRun
}

function Parts({ run }: RunProps): ReactNode {
  return (
    <div className={styles.parts}>
      {run.warnings.map((warning) => (
        <Notice key={warning} state="borderline">
          {warning}
        </Notice>
      ))}
      <div className={styles.pair}>
        <ProgressPart run={run} />
        <MoneyPart run={run} />
      </div>
      <ChartsPart run={run} />
      <GuardPart run={run} />
      <AnswersPart run={run} />
      <JudgesPart run={run} />
      <RunFacts run={run} />
    </div>
  )
}

function ProgressPart({ run }: RunProps): ReactNode {
  const { word, state } = statusOf(run)
  const waits = waitText(run)
  const ended = endText(run)
  const { step, total_steps: total } = run.progress
  return (
    <Card title="Progress">
      <div className={styles.parts}>
        <div aria-live="polite">
          <StateLabel state={state}>{word}</StateLabel>
        </div>
        <Progress label="Steps" done={step} total={total} detail={`reward ${rewardText(run)}`} />
        {waits !== null && <Notice state={state}>{waits}</Notice>}
        {run.status_message !== null && run.error === null && <Notice state={state}>{run.status_message}</Notice>}
        {run.error !== null && <Notice state="wrong">{run.error.message}</Notice>}
        {ended !== null && <Notice state="open">{ended}</Notice>}
        {run.attempts > 0 && run.error === null && (
          <Notice state="open">
            The trainer was lost {countOf(run.attempts, 'time')}. Each time the run goes on at its last checkpoint;
            after the fifth it fails.
          </Notice>
        )}
        <VersionNotice run={run} />
      </div>
    </Card>
  )
}

/** The way to the version that the run made, where a person decides about it. */
function VersionNotice({ run }: RunProps): ReactNode {
  const slug = useWorkspaceSlug()
  const { model_version_id: id, best_step: best, status } = run
  if (id === null) return null
  return (
    <Notice
      state={statusOf(run).state}
      action={
        <Link to="/w/$slug/training/versions/$id" params={{ slug, id }}>
          {status === 'awaiting_adoption' ? 'Decide about the version' : 'Open the version'}
        </Link>
      }
    >
      {best === null ? 'It made a version.' : `It made a version of its best step, ${count(best)}.`}
    </Notice>
  )
}

function AnswersPart({ run: { id } }: RunProps): ReactNode {
  const slug = useWorkspaceSlug()
  return (
    <Card title="Answers">
      <div className={styles.parts}>
        <Link to="/w/$slug/training/runs/$id/rollouts" params={{ slug, id }} search={{}}>
          Read answers with their rewards and verdicts
        </Link>
        <Link to="/w/$slug/training/runs/$id/audit" params={{ slug, id }} search={{}}>
          Grade the best-scored answers blind
        </Link>
      </div>
    </Card>
  )
}
