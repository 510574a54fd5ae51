import { type Dataset, getDataset } from '@ratchet/contracts/datasets'
import type { Identity } from '@ratchet/contracts/identity'
import { publicId } from '@ratchet/contracts/public-id'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { JobStore } from '../jobs/job-store.ts'
import { datasetsOf, type Traces } from './lineage.ts'
import type { StoredVersion } from './model-version.ts'
import { type RewardSources, traceOf } from './reward-source.ts'
import type { VersionEvals } from './version-evals.ts'
import type { VersionStore } from './version-store.ts'

/** Reads a dataset; null for one that was deleted. @throws ServiceError `service_unavailable` */
export type FindDataset = (identity: Identity, id: string) => Promise<Dataset | null>

export interface ReadTracesDeps {
  readonly versions: Pick<VersionStore, 'ancestry' | 'edges' | 'adoptions' | 'attempts'>
  readonly rewards: RewardSources
  readonly jobs: Pick<JobStore, 'get'>
  readonly evals: VersionEvals
  readonly findDataset: FindDataset
}

export function createFindDataset(logging: Pick<FleetClient, 'call'>): FindDataset {
  return async (identity, id) => {
    try {
      return await logging.call(getDataset, { params: { id } }, identity)
    } catch (cause) {
      if (!(cause instanceof FleetCallError)) throw cause
      if (cause.status === 404) return null
      if (!cause.mayPass) throw cause
      throw new ServiceError('service_unavailable', 'Datasets cannot be read at the moment.', {
        retryAfterSeconds: 1,
        cause,
      })
    }
  }
}

/** Reads what the lineage of a version is made of. */
export async function readTraces(deps: ReadTracesDeps, identity: Identity, version: StoredVersion): Promise<Traces> {
  const { versions, jobs, evals, rewards, findDataset } = deps
  const { workspaceId } = version
  const [ancestry, adoptions, found] = await Promise.all([
    versions.ancestry(version),
    versions.adoptions(version),
    evals.ofCandidate(identity, version.name),
  ])
  const line = await Promise.all(
    ancestry.map(async (each) => ({
      version: each,
      job: each.jobId === null ? null : await jobs.get({ workspaceId, id: each.jobId }),
      attempts: each.jobId === null ? [] : await versions.attempts({ workspaceId, id: each.jobId }),
      reward: await traceOf(rewards, each),
      edges: await versions.edges(each),
    })),
  )
  const used = line.flatMap(datasetsOf)
  const datasets = new Map<string, Dataset>()
  for (const id of new Set(used.map((uuid) => publicId('dataset', uuid)))) {
    const dataset = await findDataset(identity, id)
    if (dataset !== null) datasets.set(id, dataset)
  }
  return { line, adoptions, evals: found, datasets }
}
