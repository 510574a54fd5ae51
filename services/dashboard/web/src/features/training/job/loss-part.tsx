import type { FineTuningJob } from '@ratchet/contracts/fine-tuning'
import { type FineTuningCheckpoint, listFineTuningMetrics } from '@ratchet/contracts/fine-tuning-progress'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Card } from '../../../kit/page.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { LossCurve } from '../../../pictures/loss-curve.tsx'
import { isUnderWay } from '../words.ts'
import { lossPointsOf } from './loss-points.ts'
import { useFollowed } from './use-followed.ts'

interface LossPartProps {
  readonly job: FineTuningJob
  readonly checkpoints: readonly FineTuningCheckpoint[]
}

const pollMs = 3_000

/** How the loss went until now. */
export function LossPart({ job, checkpoints }: LossPartProps): ReactNode {
  const query = { names: 'train_loss,valid_loss' }
  const metrics = useEndpoint(listFineTuningMetrics, { params: { id: job.id }, query })
  useFollowed(metrics.refetch, isUnderWay(job), pollMs)
  return (
    <Card title="Loss">
      <Loaded query={metrics}>
        {({ data }) => {
          const { train, valid } = lossPointsOf(data, checkpoints)
          if (train.length + valid.length === 0) return <p className="dimmed">No loss was measured yet.</p>
          return <LossCurve train={train} valid={valid} totalSteps={job.progress.total_steps} />
        }}
      </Loaded>
    </Card>
  )
}
