import { z } from 'zod'

const Condition = z.looseObject({ type: z.string(), status: z.string() })

/** What the worker reads of an object that it has created. */
export const LaunchedObject = z.looseObject({
  metadata: z.looseObject({ name: z.string(), uid: z.string(), deletionTimestamp: z.unknown().optional() }),
  status: z
    .looseObject({
      conditions: z.array(Condition).nullish(),
      /** Pods of a Job that are ready. */
      ready: z.int().nullish(),
      /** Of a RayJob. */
      jobDeploymentStatus: z.string().nullish(),
      /** Of a TrainJob. */
      jobsStatus: z.array(z.looseObject({ ready: z.int().nullish(), active: z.int().nullish() })).nullish(),
    })
    .nullish(),
})
export type LaunchedObject = z.output<typeof LaunchedObject>

/** What the worker reads of the pods of a Job. */
export const LaunchedPod = z.looseObject({
  metadata: z.looseObject({ labels: z.record(z.string(), z.string()).nullish() }),
  status: z
    .looseObject({
      containerStatuses: z
        .array(
          z.looseObject({
            name: z.string(),
            state: z.looseObject({ terminated: z.looseObject({ exitCode: z.int() }).nullish() }).nullish(),
          }),
        )
        .nullish(),
    })
    .nullish(),
})
export type LaunchedPod = z.output<typeof LaunchedPod>

/** Null while it runs or waits for a place on the cluster. */
export type EndState = 'complete' | 'failed' | null

/** How an object has ended. */
export function endStateOf({ status }: LaunchedObject): EndState {
  const isTrue = (...types: readonly string[]) =>
    status?.conditions?.some(({ type, status: value }) => types.includes(type) && value === 'True') ?? false
  if (isTrue('Complete') || status?.jobDeploymentStatus === 'Complete') return 'complete'
  // A Job says first that it will fail, when its pods still end.
  const hasFailed = isTrue('Failed') || ['Failed', 'ValidationFailed'].includes(status?.jobDeploymentStatus ?? '')
  return hasFailed ? 'failed' : null
}

/** Whether it has no pod yet that could report: it is queued, or its image is being fetched. */
export function isWaiting({ status }: LaunchedObject): boolean {
  if (status?.jobDeploymentStatus !== undefined) return status.jobDeploymentStatus !== 'Running'
  if (status?.jobsStatus != null) return status.jobsStatus.every((job) => (job.ready ?? 0) === 0)
  return (status?.ready ?? 0) === 0
}

/** The code with which the trainer of a Job has exited; null when no pod of it says so. */
export function exitCodeOf(name: string, pods: readonly LaunchedPod[]): number | null {
  for (const { metadata, status } of pods) {
    if (metadata.labels?.['batch.kubernetes.io/job-name'] !== name) continue
    const trainer = status?.containerStatuses?.find((container) => container.name === 'trainer')
    const code = trainer?.state?.terminated?.exitCode
    if (code !== undefined) return code
  }
  return null
}
