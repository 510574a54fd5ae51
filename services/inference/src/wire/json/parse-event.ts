import { type RefusalReason, type ScanLimits, scanJson } from '@ratchet/service-kit/json/scan-json'
import { asObject, type Fields, parseJson } from '@ratchet/service-kit/values/json'

/** Limits of one event of a stream: more than any provider sends, and parsed within milliseconds. */
export const eventLimits: ScanLimits = { maxDepth: 128, maxKeys: 20_000, maxValues: 100_000, mayHaveProto: true }

/** A text of fewer bytes can neither be nested so deep nor have so many parts that parsing it matters. */
const scannedFromBytes = 4_096

const excesses: ReadonlySet<RefusalReason> = new Set(['depth', 'keys', 'values', 'escaped_keys'])

/** True when an event is nested too deep or has too many parts, which the client may have asked the model for. */
export function isExcessive(data: Buffer): boolean {
  const scan = scanJson(data, eventLimits)
  return !scan.ok && excesses.has(scan.reason)
}

/** The JSON object of an event; null when it is not one, is nested too deep, or has too many parts. */
export function parseEvent(data: Buffer): Fields | null {
  if (data.length >= scannedFromBytes && !scanJson(data, eventLimits).ok) return null
  return asObject(parseJson(data.toString()))
}
