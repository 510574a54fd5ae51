import { asList, asObject, asText, type Fields } from '@ratchet/service-kit/values/json'
import { readObject } from '../chat/read-reply.ts'
import type { ProviderReply } from '../provider.ts'
import { readResponseUsage } from './response-usage.ts'

/** Reads a complete response object of a provider; null when it is not one, or when it reports a failure. */
export function readResponsesReply(bytes: Buffer): ProviderReply | null {
  const read = readObject(bytes)
  if (read === null || !Array.isArray(read.body.output)) return null
  const { status, output } = read.body
  if (status !== undefined && status !== 'completed' && status !== 'incomplete') return null
  return { bytes, scan: read.scan, usage: readResponseUsage(read.body), pieces: outputPieces(output) }
}

/** The texts that the model generated in these output items, without empty ones. */
function outputPieces(output: unknown): string[] {
  return asList(output).flatMap((value) => piecesOf(asObject(value) ?? {}))
}

function piecesOf({ content, summary, name, arguments: argumentsText, input }: Fields): string[] {
  const parts = [...asList(content), ...asList(summary)].map(asObject)
  const texts = parts.map((part) => asText(part?.text) ?? asText(part?.refusal))
  return [...texts, asText(name), asText(argumentsText), asText(input)].filter(isSaid)
}

function isSaid(text: string | null): text is string {
  return text !== null && text !== ''
}
