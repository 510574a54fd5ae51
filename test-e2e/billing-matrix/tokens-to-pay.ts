import { writeLongText } from '@ratchet/simulated-provider/answers/write-answer-text'
import { usualSearches } from '@ratchet/simulated-provider/wire/output-item'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { type Cell, hasExtra, isMedia } from './matrix.ts'
import { reportedBy } from './outcome.ts'
import { surfaceStreams } from './plan.ts'
import type { Tokens } from './prices.ts'
import type { ProviderRow, Seen } from './run-cell.ts'
import { documents, mediaTokens, question } from './speak-media.ts'

/**
 * The tokens that a cell must pay for, from the provider's report or counted again; several values when a chunk may have
 * been in transit; null when nothing must be paid.
 */
export function tokensToPay(cell: Cell, seen: Seen): readonly Tokens[] | null {
  const row = seen.rows.at(-1)
  const searches = cell.surface === 'rerank' ? 1 : 0
  if (row === undefined || cell.condition === 'upstream cut') return null
  if (isMedia(cell.surface)) return [mediaTokens(cell, row.usage, count)]
  if (cell.condition === 'client leaves' && cell.delivery === 'stream') return tokensUntilLeft(cell, row)
  if (cell.condition === 'cut after a search') return [{ prompt: 0, completion: 0, ...hostedCallsOf(cell) }]
  if (cell.condition === 'leaves before the first token' || cell.condition === 'leaves after a fallback')
    return [unfinishedTokens(cell, row, '')]
  if (cell.condition === 'leaves on the last token') return [unfinishedTokens(cell, row, question)]
  if (cell.condition === 'early usage') return [earlyTokens(cell, seen, row)]
  if (cell.condition === 'zero usage') return [{ prompt: 0, completion: 0, searches }]
  if (cell.condition === 'missing usage') return [{ ...countedTokens(cell, seen), searches }]
  const prompt = row.usage?.prompt_tokens ?? 0
  const completion = row.usage?.completion_tokens ?? 0
  const cached = row.usage?.prompt_tokens_details.cached_tokens ?? 0
  const written = cell.condition === 'cache write' ? prompt - cached : 0
  const writtenLong = cell.condition === 'cache write for an hour' ? prompt - cached : 0
  return [{ prompt, completion, cached, written, writtenLong, searches, ...extrasOf(cell) }]
}

function extrasOf(cell: Cell): Partial<Tokens> {
  if (!hasExtra(cell)) return {}
  if (cell.condition === 'service tier') return { tier: cell.surface === 'messages' ? 'fast' : 'priority' }
  if (cell.condition !== 'hosted tool') return {}
  return hostedCallsOf(cell)
}

function hostedCallsOf({ surface }: Cell): Partial<Tokens> {
  return { webSearches: usualSearches, containers: surface === 'responses' ? 1 : 0 }
}

/** Counts the texts with the published vocabulary. */
function countedTokens(cell: Cell, { answers: [answer] }: Seen): Pick<Tokens, 'prompt' | 'completion'> {
  const reported = answer === undefined ? null : reportedBy(cell, answer, cell.delivery === 'stream')
  if (surfaceStreams(cell.surface)) return { prompt: count([question]), completion: count([reported?.text ?? '']) }
  // A model with a price per search counts no tokens.
  if (cell.model === 'rerank-by-search') return { prompt: 0, completion: 0 }
  const repeated = cell.surface === 'rerank' ? repeatedQuery() : 0
  return { prompt: count([question, ...documents]) + repeated, completion: 0 }
}

/** A reranker reads the query with each document; repetitions after the first are estimated at four bytes per token. */
function repeatedQuery(): number {
  return Math.ceil((Buffer.byteLength(question) * (documents.length - 1)) / 4)
}

/**
 * A stream whose client disconnected is charged for what the provider had sent. Its last chunk may still have been in
 * transit when the gateway noticed the disconnect, so two amounts are correct.
 */
function tokensUntilLeft(cell: Cell, row: ProviderRow): readonly Tokens[] {
  const chunks = row.tokens_emitted
  return [chunks, chunks - 1].map((sent) =>
    unfinishedTokens(cell, { ...row, tokens_emitted: sent }, writeLongText(sent)),
  )
}

/** The larger of what the provider had reported when the client disconnected, and what is counted. */
function unfinishedTokens({ wire }: Cell, { tokens_emitted, usage }: ProviderRow, text: string): Tokens {
  const counted = { prompt: count([question]), completion: count([text]) }
  // Anthropic reports the prompt and the first token at the start, Gemini all tokens so far with each chunk.
  const early = { 'sim-anthropic': 1, 'sim-google': tokens_emitted, sim: null, 'sim-bedrock': null }[wire]
  if (early === null || (wire === 'sim-google' && tokens_emitted === 0)) return counted
  return { prompt: usage?.prompt_tokens ?? 0, completion: Math.max(counted.completion, early) }
}

/** The reported prompt; the provider reported no more than the first token of the answer. */
function earlyTokens(cell: Cell, { answers: [answer] }: Seen, { usage }: ProviderRow): Tokens {
  const reported = answer === undefined ? null : reportedBy(cell, answer, true)
  return { prompt: usage?.prompt_tokens ?? 0, completion: count([reported?.text ?? '']) }
}

function count(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + encode(text).length, 0)
}
