import { parseScanned } from '@ratchet/service-kit/json/parse-scanned'
import { type JsonScan, type ScanLimits, scanJson } from '@ratchet/service-kit/json/scan-json'
import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { ProviderReply } from '../provider.ts'
import { withTier } from '../usage.ts'
import { piecesOf } from './chat-chunk.ts'
import { readUsage } from './read-usage.ts'

/** Limits of a provider's answer. A larger one is not parsed. */
export const replyLimits = { maxDepth: 256, maxKeys: 1_000_000, mayHaveProto: true }

/** Reads a complete answer of a provider; null when it is not a chat completion. */
export function readChatReply(bytes: Buffer): ProviderReply | null {
  const read = readObject(bytes)
  if (read === null || !Array.isArray(read.body.choices)) return null
  const pieces = read.body.choices.flatMap((choice) => piecesOf(asObject(asObject(choice)?.message) ?? {}))
  return { bytes, scan: read.scan, usage: withTier(readUsage(read.body.usage), read.body.service_tier), pieces }
}

/** A JSON object with its scan; null when the bytes are not one. */
export function readObject(
  bytes: Buffer,
  limits: ScanLimits = replyLimits,
): { readonly scan: JsonScan; readonly body: Fields } | null {
  const scan = scanJson(bytes, limits)
  if (!scan.ok) return null
  try {
    return { scan, body: parseScanned(bytes, scan) }
  } catch {
    return null
  }
}
