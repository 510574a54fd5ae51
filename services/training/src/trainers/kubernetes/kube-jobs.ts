import type { KubeJob } from './job-state.ts'

/** Jobs and secrets of one namespace. Each throws when the API server cannot be reached or refuses. */
export interface KubeJobs {
  /** @returns the Job of this name, also when it was there before */
  create(manifest: { readonly metadata: { readonly name: string } }): Promise<KubeJob>
  /** Does nothing when there is one of this name. */
  createSecret(manifest: object): Promise<void>
  /** Those of trainers, of all pages. */
  list(): Promise<readonly KubeJob[]>
  /** Removes a Job with its pods, which get SIGTERM. Does nothing when there is none. */
  remove(name: string): Promise<void>
}
