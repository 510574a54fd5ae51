import type { FineTuningJob } from '@ratchet/contracts/fine-tuning'
import { listFineTuningCheckpoints } from '@ratchet/contracts/fine-tuning-progress'
import { useList } from '../../../api/use-endpoint.ts'
import { isUnderWay } from '../words.ts'
import { useFollowed } from './use-followed.ts'

const pollMs = 3_000

/** The checkpoints of a job, read again while it is under way. */
export function useCheckpoints(job: Pick<FineTuningJob, 'id' | 'status'>) {
  const list = useList(listFineTuningCheckpoints, { params: { id: job.id } })
  useFollowed(list.refetch, isUnderWay(job), pollMs)
  return list
}
