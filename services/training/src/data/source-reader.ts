import { exportDataset, getDataset } from '@ratchet/contracts/datasets'
import { getFile, getFileContent } from '@ratchet/contracts/files'
import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { FleetCallError, type FleetClient, refusalOf } from '@ratchet/service-kit/fleet/fleet-client'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { SourceFacts, TrainingSource } from './training-source.ts'

/** Reads datasets and files of a workspace. */
export interface SourceReader {
  /** @throws ServiceError `not_found` naming the field, or `service_unavailable` */
  facts(identity: Identity, source: TrainingSource): Promise<SourceFacts>
  /** Lines of JSON. @throws ServiceError as above */
  content(identity: Identity, source: TrainingSource): Promise<Buffer>
}

/** The data that logging stores. */
export function createSourceReader(logging: Pick<FleetClient, 'call' | 'send'>): SourceReader {
  return {
    async facts(identity, source) {
      const { kind, id, param } = source
      const uuid = uuidOf(kind, id)
      if (uuid === null) throw notFound(kind, param)
      try {
        if (kind === 'file') {
          const { bytes } = await logging.call(getFile, { params: { id } }, identity)
          return { uuid, bytes, sha256: null, siblingId: null }
        }
        const dataset = await logging.call(getDataset, { params: { id } }, identity)
        if (dataset.status === 'building' || dataset.status === 'failed') {
          throw new ServiceError('conflict', `The dataset is \`${dataset.status}\`, so it has no examples.`, { param })
        }
        const { size_bytes: bytes, sha256, sibling_id: siblingId, kind: side } = dataset
        return { uuid, bytes, sha256, siblingId: side === 'train' ? siblingId : null }
      } catch (error) {
        throw asRefusal(error, source)
      }
    },
    async content(identity, source) {
      const { path } = source.kind === 'file' ? getFileContent : exportDataset
      const call = { method: 'GET', path: path.replace(':id', encodeURIComponent(source.id)), route: path } as const
      try {
        const answer = await logging.send(call, identity)
        if (answer.status !== 200) throw refusalOf('logging', answer)
        return answer.body
      } catch (error) {
        throw asRefusal(error, source)
      }
    },
  }
}

function asRefusal(error: unknown, { kind, param }: TrainingSource): unknown {
  if (!(error instanceof FleetCallError)) return error
  if (error.status === 404) return notFound(kind, param)
  if (!error.mayPass) return error
  const message = 'The training data cannot be read at the moment. Retry.'
  return new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause: error })
}
