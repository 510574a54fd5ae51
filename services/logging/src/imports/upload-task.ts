import { readExample } from '../datasets/read-example.ts'
import { readEntry } from './read-entry.ts'

const jobs = { entry: readEntry, example: readExample } as const

export type UploadJobs = typeof jobs
export type UploadJob = keyof UploadJobs

/** Runs in the thread. */
export function readUploaded({ job, order }: { readonly job: UploadJob; readonly order: never }): unknown {
  return jobs[job](order)
}
