import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Body } from '../wire/dialect.ts'
import { parseScanned } from '../wire/json/parse-scanned.ts'
import { type JsonScan, type ScanRefusal, scanJson } from '../wire/json/scan-json.ts'

const limits = { maxDepth: 64, maxKeys: 50_000, maxValues: 500_000, maxEscapedKeys: 1_000 }

/** A body that is a JSON object: its bytes and what was read of them. */
export interface ReadRequest {
  readonly bytes: Buffer
  readonly scan: JsonScan
  readonly body: Body
}

/** @throws ServiceError `invalid_request` for what is no JSON object, is nested too deep, or has forbidden keys. */
export function readRequest(bytes: Buffer): ReadRequest {
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
