import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { asObject, parseJson } from '@ratchet/service-kit/values/json'
import { redactExchange } from '../redaction/redact-exchange.ts'
import type { Redactor } from '../redaction/redactor.ts'
import type { FoundFamily } from './family-miner.ts'
import type { FindFamily } from './pg-segment-families.ts'
import { systemPromptOf } from './system-prompt-of.ts'

export interface FindSegmentDeps {
  readonly redactor: Pick<Redactor, 'examples'>
  readonly findFamily: FindFamily
}

/** Bytes of a prompt that is redacted without the thread: 2 ms at most, for which all other calls wait. */
const smallBytes = 8 * kibibyte

interface SentPrompt {
  readonly workspaceId: string
  /** The leading system and developer messages. */
  readonly messages: readonly unknown[]
}

/**
 * The segment that a request will have in the log. Its prompt is redacted first, because segments are those of redacted
 * prompts.
 *
 * @throws Error when the prompt cannot be redacted
 */
export async function findSegment(
  { redactor, findFamily }: FindSegmentDeps,
  { workspaceId, messages }: SentPrompt,
): Promise<FoundFamily> {
  const clean = await redactedMessages(redactor, { workspaceId, messages })
  return findFamily({ workspaceId, systemPrompt: systemPromptOf(clean) })
}

async function redactedMessages(
  redactor: Pick<Redactor, 'examples'>,
  { workspaceId, messages }: SentPrompt,
): Promise<unknown> {
  const text = JSON.stringify({ messages })
  if (Buffer.byteLength(text) <= smallBytes) return redactExchange({ messages }).messages
  const [redacted] = await redactor.examples(workspaceId, [text])
  if (redacted?.kind !== 'done') throw new Error('the prompt cannot be redacted')
  if (redacted.value.text === null) return messages
  return asObject(parseJson(redacted.value.text))?.messages
}
