import type { FineTuningJob } from '@ratchet/contracts/fine-tuning'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { now } from '../../../clock.ts'
import { countOf } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { Progress } from '../../../kit/progress.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { isoOfSeconds, statusOf } from '../words.ts'
import { epochText, waitText } from './progress-words.ts'

/** What the job does now, how far it is, and what it waits for. */
export function ProgressPart({ job }: { readonly job: FineTuningJob }): ReactNode {
  const { progress, error, stopped_early: stopped, attempts, estimated_finish: finish } = job
  const { word, state } = statusOf(job)
  const waits = waitText(job)
  return (
    <Card title="Progress">
      <div style={{ display: 'grid', gap: 12 }}>
        <div style={{ display: 'flex', flexWrap: 'wrap', gap: '4px 16px' }} aria-live="polite">
          <StateLabel state={state}>{word}</StateLabel>
          {finish !== null && (
            <span className="dimmed">
              {finish * 1_000 < now() ? (
                'It takes longer than was estimated.'
              ) : (
                <>
                  about done <TimeText at={isoOfSeconds(finish)} />
                </>
              )}
            </span>
          )}
        </div>
        <Progress label="Steps" done={progress.step} total={progress.total_steps} detail={epochText(job)} />
        {waits !== null && <Notice state="open">{waits}</Notice>}
        {attempts > 0 && error === null && (
          <Notice state="open">
            The trainer was lost {countOf(attempts, 'time')}. Each time the job goes on at its last checkpoint; after
            the fifth it fails.
          </Notice>
        )}
        {stopped === 'max_cost' && (
          <Notice state="open">
            It ended before all steps, with the last checkpoint that the maximum cost covers.
          </Notice>
        )}
        {stopped === 'early_stopping' && (
          <Notice state="open">It ended before all steps, because the validation loss did not get better.</Notice>
        )}
        {error !== null && <Notice state="wrong">{error.message}</Notice>}
        {job.model_version_id !== null && <VersionNotice id={job.model_version_id} />}
        {job.status === 'cancelled' && (
          <Notice state="none">The job was cancelled. Its checkpoints are charged and stay usable.</Notice>
        )}
      </div>
    </Card>
  )
}

/** The way to the version that the job made. */
function VersionNotice({ id }: { readonly id: string }): ReactNode {
  return (
    <Notice
      state="proven"
      action={
        <Link to="/w/$slug/training/versions/$id" params={{ slug: useWorkspaceSlug(), id }}>
          Open the version
        </Link>
      }
    >
      It made a version.
    </Notice>
  )
}
