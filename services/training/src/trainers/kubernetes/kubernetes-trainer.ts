import type { Trainer } from '../trainer.ts'
import { jobManifest, type ManifestOptions, tokenManifest } from './job-manifest.ts'
import { trainerOfJob } from './job-state.ts'
import type { KubeJobs } from './kube-jobs.ts'

export interface KubernetesTrainerOptions extends ManifestOptions {
  readonly jobs: KubeJobs
  readonly slots: number
  readonly now: () => Date
}

/**
 * A pod of a cluster, one Job for each attempt, named after it: whichever worker starts it, there is one. All workers see all
 * Jobs, so what runs without an attempt is ended also when the worker that started it is gone. A namespace is of one
 * installation.
 */
export function createKubernetesTrainer({ jobs, slots, now, ...manifest }: KubernetesTrainerOptions): Trainer {
  return {
    name: 'kubernetes',
    slots,
    outlivesWorker: true,
    async start(order) {
      // The pod waits for its token, which Kubernetes removes with the Job.
      const { metadata } = await jobs.create(jobManifest(order, manifest))
      await jobs.createSecret(tokenManifest(order, metadata.uid))
    },
    // A trainer that is superseded saves nothing, so both are the same.
    stop: (name) => jobs.remove(name),
    async list() {
      const at = now()
      const present = (await jobs.list()).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      return present.map((job) => trainerOfJob(job, at))
    },
    forget: (name) => jobs.remove(name),
  }
}
