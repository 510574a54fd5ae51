import { type Eval, getEval, listEvalSamples, listEvals } from '@ratchet/contracts/evals'
import type { Identity } from '@ratchet/contracts/identity'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { rootKeyOf } from '../data/read-example.ts'

/** Evals as they concern model versions. */
export interface VersionEvals {
  /** Evals with this candidate that are DONE, newest first, at most 20. They have no evidence. */
  ofCandidate(identity: Identity, model: string): Promise<readonly Eval[]>
  /** Null for one that does not exist. */
  get(identity: Identity, id: string): Promise<Eval | null>
  /** The conversations of its prompts, each once. */
  rootsOf(identity: Identity, id: string): Promise<readonly string[]>
}

/** Evals have at most 500 samples. */
const pageSize = 200

/** Each throws ServiceError `service_unavailable` while evals cannot be read. */
export function createVersionEvals(evals: Pick<FleetClient, 'call'>): VersionEvals {
  return {
    async ofCandidate(identity, model) {
      const query = { candidate_model: model, status: 'DONE', limit: 20 }
      return (await evals.call(listEvals, { query }, identity).catch(rethrow)).data
    },
    async get(identity, id) {
      try {
        return await evals.call(getEval, { params: { id } }, identity)
      } catch (error) {
        if (error instanceof FleetCallError && error.status === 404) return null
        return rethrow(error)
      }
    },
    async rootsOf(identity, id) {
      const roots = new Set<string>()
      for (let offset = 0; ; offset += pageSize) {
        const query = { limit: pageSize, offset }
        const page = await evals.call(listEvalSamples, { params: { id }, query }, identity).catch(rethrow)
        for (const { prompt } of page.data) if (prompt !== null) roots.add(rootKeyOf(prompt.messages))
        if (!page.has_more) return [...roots]
      }
    },
  }
}

function rethrow(cause: unknown): never {
  if (!(cause instanceof FleetCallError) || !cause.mayPass) throw cause
  throw new ServiceError('service_unavailable', 'Evals cannot be read at the moment.', { retryAfterSeconds: 1, cause })
}
