import { createHash } from 'node:crypto'
import type { Dialect } from '../wire/dialect.ts'
import { canonicalBody } from '../wire/json/canonical-body.ts'
import type { JsonScan } from '../wire/json/scan-json.ts'

export interface CacheQuestion {
  readonly workspaceId: string
  readonly dialect: Dialect
  /** The catalog id of the model that would be called first. */
  readonly modelId: string
  /** The request's body, which `JSON.parse` accepted. */
  readonly bytes: Buffer
  readonly scan: JsonScan
  /** What the client says of the request beside its body; absent for nothing. */
  readonly hints?: object | undefined
}

/** What does not change an answer: how it is delivered, and names of the model, which is in the key by its id. */
const withoutEffect = new Set(['stream', 'stream_options', 'model', 'models'])

/**
 * Names the answer to a request: equal for two requests of a workspace exactly when they ask the same of the same
 * model. It begins with the workspace's id, so that all that is kept of a workspace can be found.
 *
 * @returns `<workspace id>:<SHA-256 in hex>`
 */
export function cacheKey({ workspaceId, dialect, modelId, bytes, scan, hints }: CacheQuestion): string {
  const hash = createHash('sha256')
  hash.update(JSON.stringify([workspaceId, dialect, modelId, ...(hints === undefined ? [] : [hints])]))
  hash.update(canonicalBody({ bytes, scan }, withoutEffect))
  return `${workspaceId}:${hash.digest('hex')}`
}
