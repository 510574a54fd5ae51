import { trainerExits } from '@ratchet/contracts/trainer-protocol'
import { z } from 'zod'
import type { StartedTrainer } from '../trainer.ts'

/** What is read of a Job. */
export const KubeJob = z.object({
  metadata: z.object({ name: z.string(), uid: z.string(), deletionTimestamp: z.string().optional() }),
  spec: z.object({ suspend: z.boolean().default(false) }),
  status: z
    .object({
      startTime: z.iso.datetime().optional(),
      active: z.int().optional(),
      ready: z.int().optional(),
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
    })
    .default({ conditions: [] }),
})
export type KubeJob = z.output<typeof KubeJob>

/** How long a pod may take to start, once its Job may run: for a machine that joins, and a large image. */
export const maxStartMs = 1_800_000
/** Its pod ended otherwise than with 0. What it has reported says more. */
const failedCode = 1

/** A Job as a trainer. A suspended one waits for its queue, however long that takes. */
export function trainerOfJob({ metadata, spec, status }: KubeJob, now: Date): StartedTrainer {
  const { name } = metadata
  const is = (type: string) => status.conditions.some((each) => each.type === type && each.status === 'True')
  if (is('Complete')) return { name, exitCode: trainerExits.done }
  if (is('Failed')) return { name, exitCode: failedCode }
  if (spec.suspend) return { name, exitCode: null, isWaiting: true }
  const startedAt = status.startTime === undefined ? now : new Date(status.startTime)
  const isStarting = (status.ready ?? 0) === 0 && now.getTime() - startedAt.getTime() < maxStartMs
  return { name, exitCode: null, isWaiting: isStarting }
}
