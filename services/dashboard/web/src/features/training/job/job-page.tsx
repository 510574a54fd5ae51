import { type FineTuningJob, getFineTuningJob } from '@ratchet/contracts/fine-tuning'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { AboveList } from '../../../kit/above.tsx'
import { CopyText } from '../../../kit/copy-text.tsx'
import { Card, Page } from '../../../kit/page.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { DataReport } from '../data-report.tsx'
import styles from '../training.module.css'
import { isUnderWay, titleOf } from '../words.ts'
import { CheckpointsPart } from './checkpoints-part.tsx'
import { EventLog } from './event-log.tsx'
import { JobActions } from './job-actions.tsx'
import { JobFacts } from './job-facts.tsx'
import { LossPart } from './loss-part.tsx'
import { MoneyPart } from './money-part.tsx'
import { ProgressPart } from './progress-part.tsx'
import { useCheckpoints } from './use-checkpoints.ts'

const route = getRouteApi('/w/$slug/training/jobs/$id')
const pollMs = 2_000

/** A fine-tuning job: how far it is, how its loss went, what it costs, what happened, and what it stored. */
export function JobPage(): ReactNode {
  const { id } = route.useParams()
  const found = useEndpoint(getFineTuningJob, { params: { id } })
  usePolling(found.refetch, found.data !== undefined && isUnderWay(found.data), pollMs)
  return (
    <Page
      title={found.data === undefined ? 'Fine-tuning job' : titleOf(found.data)}
      lead={<CopyText text={id} label="Copy the id of the job" />}
      above={<AboveList of="training/jobs" />}
      actions={found.data && <JobActions job={found.data} />}
    >
      <Loaded query={found}>{(job) => <Parts job={job} />}</Loaded>
    </Page>
  )
}

function Parts({ job }: { readonly job: FineTuningJob }): ReactNode {
  const checkpoints = useCheckpoints(job)
  const { data_report: report } = job
  return (
    <div className={styles.parts}>
      <div className={styles.pair}>
        <ProgressPart job={job} />
        <MoneyPart job={job} />
      </div>
      <LossPart job={job} checkpoints={checkpoints.rows} />
      <CheckpointsPart list={checkpoints} />
      <EventLog job={job} />
      <div className={styles.pair}>
        <JobFacts job={job} />
        <Card title="Data">
          {report === null ? (
            <p className="dimmed">The data was not read yet.</p>
          ) : (
            <DataReport report={report} isExact={job.tokens_exact} />
          )}
        </Card>
      </div>
    </div>
  )
}
