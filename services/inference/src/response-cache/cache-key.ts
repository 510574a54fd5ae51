import { createHash } from 'node:crypto'
import type { JsonScan } from '@ratchet/service-kit/json/scan-json'
import type { Dialect } from '../wire/dialect.ts'
import { canonicalBody } from '../wire/json/canonical-body.ts'

export interface CacheQuestion {
  readonly workspaceId: string
  readonly dialect: Dialect
  /** The catalog id of the model that would be called first. */
  readonly modelId: string
  /** The request's body, which `JSON.parse` accepted. */
  readonly bytes: Buffer
  readonly scan: JsonScan
  /** The headers of the request that change its answer; absent when there are none. */
  readonly hints?: object | undefined
  /** True when the client requires a refusal instead of an answer without some of its parameters. */
  readonly isStrict: boolean
}

/** Members that do not change an answer: how it is delivered, and the names of the model, whose id is in the key. */
const withoutEffect = new Set(['stream', 'stream_options', 'model', 'models'])

/**
 * The cache key of a request. Two requests of a workspace have the same key exactly when they are equal and go to the
 * same model. It begins with the id of the workspace, so that all entries of a workspace can be found.
 *
 * @returns `<workspace id>:<SHA-256 in hex>`
 */
export function cacheKey({ workspaceId, dialect, modelId, bytes, scan, hints, isStrict }: CacheQuestion): string {
  const hash = createHash('sha256')
  const strictness = isStrict ? ['strict'] : []
  hash.update(JSON.stringify([workspaceId, dialect, modelId, ...(hints === undefined ? [] : [hints]), ...strictness]))
  hash.update(canonicalBody({ bytes, scan }, withoutEffect))
  return `${workspaceId}:${hash.digest('hex')}`
}
