import { parseScanned } from '../../domain/parse-scanned.ts'
import { type JsonScan, scanJson } from '../../domain/scan-json.ts'
import type { ChatReply } from '../provider.ts'
import { readUsage } from './read-usage.ts'

const limits = { maxDepth: 256, maxKeys: 1_000_000 }

/** Reads a provider's whole answer, or null when it is not a chat completion at all. */
export function convertReply(bytes: Buffer): ChatReply | null {
  const scan = scanJson(bytes, limits)
  if (!scan.ok) return null
  const body = parse(bytes, scan)
  if (body === null || !Array.isArray(body.choices)) return null
  return { bytes, scan, usage: readUsage(body.usage), generatedCharacters: countGenerated(body.choices) }
}

function parse(bytes: Buffer, scan: JsonScan): { choices?: unknown; usage?: unknown } | null {
  try {
    return parseScanned(bytes, scan)
  } catch {
    return null
  }
}

/** Characters of every choice's message that the model wrote: text, refusals, reasoning, tool arguments. */
function countGenerated(choices: readonly unknown[]): number {
  return choices.reduce<number>((sum, choice) => {
    const message = (choice as { message?: Record<string, unknown> } | null)?.message
    return message === undefined || message === null ? sum : sum + countMessage(message)
  }, 0)
}

function countMessage(message: Record<string, unknown>): number {
  const { content, refusal, reasoning_content: reasoning, tool_calls: toolCalls } = message
  const texts = [content, refusal, reasoning].map((text) => (typeof text === 'string' ? text.length : 0))
  const calls = Array.isArray(toolCalls) ? JSON.stringify(toolCalls).length : 0
  return texts.reduce((sum, length) => sum + length, calls)
}
