import { isUtf8 } from 'node:buffer'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { parseScanned } from '@ratchet/service-kit/json/parse-scanned'
import { requestLimits as limits } from '@ratchet/service-kit/json/request-limits'
import { type JsonScan, type ScanRefusal, scanJson } from '@ratchet/service-kit/json/scan-json'
import type { Body } from '../wire/dialect.ts'

/** A request body that is a JSON object. */
export interface ParsedBody {
  /** The body exactly as it was sent; providers and the log get these bytes. */
  readonly bytes: Buffer
  /** The positions of the members of `bytes`, with which one member can be replaced without writing the others anew. */
  readonly scan: JsonScan
  /** The parsed object. It is shared and must not be changed. */
  readonly body: Body
}

/** @throws ServiceError `invalid_request` when the body is not a JSON object in UTF-8, is nested too deep or has forbidden keys */
export function parseBody(bytes: Buffer): ParsedBody {
  if (!isUtf8(bytes)) throw new ServiceError('invalid_request', 'The body is not valid UTF-8.', { param: 'body' })
  const scan = scanJson(bytes, limits)
  if (!scan.ok) throw new ServiceError('invalid_request', refusalMessage(scan), { param: scan.key ?? 'body' })
  try {
    return { bytes, scan, body: parseScanned(bytes, scan) }
  } catch (cause) {
    throw new ServiceError('invalid_request', 'The body is not valid JSON.', { param: 'body', cause })
  }
}

function refusalMessage({ reason, key, offset }: ScanRefusal): string {
  switch (reason) {
    case 'depth':
      return `The body is nested deeper than ${limits.maxDepth} levels.`
    case 'keys':
      return `The body has more than ${limits.maxKeys} keys.`
    case 'values':
      return `The body has more than ${limits.maxValues} values.`
    case 'escaped_keys':
      return `The body has more than ${limits.maxEscapedKeys} keys that are written with escapes.`
    case 'forbidden_key':
      return `The key ${JSON.stringify(key)} is not allowed anywhere in the body.`
    case 'duplicate_key':
      return `The key ${JSON.stringify(key)} is given twice.`
    case 'not_an_object':
      return 'The body must be a JSON object.'
    case 'malformed':
      return `The body is not valid JSON (at byte ${offset}).`
  }
}
