import { scoreOverlap } from '../answers/score-overlap.ts'
import { countTokens } from '../answers/tokenize.ts'
import { checkPrompt } from './model-limits.ts'
import { booleanOf, integerIn, isFields, itemsOf, textOf, wrongType } from './read-fields.ts'
import type { Call, Reply } from './reply.ts'
import { reportedUsage, usageOf } from './usage.ts'

interface Ranked {
  index: number
  relevance_score: number
  document?: { text: string }
}

/** POST /v1/rerank, in the format that Jina, vLLM and Together share. */
export function answerRerank(call: Call): Reply {
  const { results, tokens } = rank(call)
  const usage = usageOf(tokens, 0, null)
  const reported = reportedUsage(usage, call.behaviour)
  const counts =
    reported === null
      ? {}
      : { usage: { prompt_tokens: reported.prompt, total_tokens: reported.prompt, search_units: 1 } }
  const id = `rerank-${call.name.slice(0, 24)}`
  const body = JSON.stringify({ id, object: 'rerank', model: call.model.id, results, ...counts })
  return { kind: 'json', status: 200, body, tokens: 0, usage }
}

/** POST /v2/rerank, in Cohere's format. */
export function answerCohereRerank(call: Call): Reply {
  const { results, tokens } = rank(call)
  const usage = usageOf(tokens, 0, null)
  const reported = reportedUsage(usage, call.behaviour)
  const counts = reported === null ? {} : { billed_units: { search_units: reported.prompt === 0 ? 0 : 1 } }
  const meta = { api_version: { version: '2' }, ...counts }
  const body = JSON.stringify({ id: call.name.slice(0, 32), results, meta })
  return { kind: 'json', status: 200, body, tokens: 0, usage }
}

function rank(call: Call): { results: Ranked[]; tokens: number } {
  const query = textOf(call.body, 'query')
  const documents = itemsOf(call.body, 'documents').map(readDocument)
  const topN = integerIn(call.body, 'top_n', 1, 1_000_000) ?? documents.length
  const withText = booleanOf(call.body, 'return_documents')
  const results = documents.map((text, index) => ({
    index,
    relevance_score: scoreOverlap(query, text),
    ...(withText ? { document: { text } } : {}),
  }))
  results.sort((a, b) => b.relevance_score - a.relevance_score || a.index - b.index)
  const tokens = documents.reduce((sum, text) => sum + countTokens(text), countTokens(query))
  checkPrompt(tokens, call.model, 'documents')
  return { results: results.slice(0, topN), tokens }
}

function readDocument(value: unknown, index: number): string {
  if (typeof value === 'string') return value
  if (!isFields(value)) throw wrongType(`documents[${index}]`, 'a string or an object', value)
  return textOf(value, 'text', `documents[${index}].text`)
}
