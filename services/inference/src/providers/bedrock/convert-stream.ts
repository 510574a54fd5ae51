import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { type ChatHead, type ChunkWriter, createChunkWriter } from '../../wire/chat/write-chat.ts'
import { encryptedTokens } from '../../wire/estimated-tokens.ts'
import { parseEvent } from '../../wire/json/parse-event.ts'
import type { StreamConverter } from '../../wire/stream-converter.ts'
import type { Usage } from '../../wire/usage.ts'
import { createThoughtRecorder, type ThoughtRecorder } from '../thought-recorder.ts'
import { exceptionFailure } from './bedrock-error.ts'
import { readConverseUsage } from './converse-usage.ts'
import { finishReasonOf, isMalformed } from './finish-reason.ts'
import { createMessageReader, type EventMessage } from './read-messages.ts'
import { signsReasoning } from './signed-reasoning.ts'

const unreadable = 'The provider sent a stream that cannot be read.'
const nothing = Buffer.alloc(0)

/** Converts a ConverseStream answer to a chat completion stream. */
export function convertStream(head: ChatHead): StreamConverter {
  const reader = createMessageReader()
  const writer = createChunkWriter(head)
  const state: StreamState = {
    writer,
    modelId: head.model,
    tools: new Map(),
    role: writer.role(),
    thoughts: createThoughtRecorder(),
    thinkingBlock: null,
    details: 0,
    calls: 0,
    stopped: false,
    usage: null,
    hiddenTokens: 0,
    isUnusable: false,
  }
  let over = false
  return {
    facts: state,
    push(chunk) {
      if (over) return nothing
      let text = ''
      try {
        for (const message of reader.push(chunk)) text += begun(convertMessage(message, state), state)
      } catch (error) {
        over = true
        text += state.writer.error(error instanceof StreamFailure ? error.message : unreadable)
      }
      return Buffer.from(text)
    },
    end() {
      const text = !over && state.stopped ? state.writer.done() : ''
      over = true
      return Buffer.from(text)
    },
  }
}

/** The failure of a provider that has already answered 200. The converter catches it. */
class StreamFailure extends Error {}

interface StreamState {
  readonly writer: ChunkWriter
  readonly modelId: string
  /** The tool calls that have begun, by the index of their content block. */
  readonly tools: Map<unknown, { readonly index: number; hasArguments: boolean }>
  /** The first frame, until something follows it. A failure before that can be retried. */
  role: string
  /** The reasoning of which the signature was not written yet. */
  thoughts: ThoughtRecorder
  /** The index of the open block of reasoning. */
  thinkingBlock: unknown
  /** Number of reasoning details that were written. */
  details: number
  /** Number of tool calls that have begun. */
  calls: number
  /** True when the answer is complete. Only its usage may follow. */
  stopped: boolean
  /** Reported with the last event. */
  usage: Usage | null
  /** Tokens of reasoning that arrived encrypted, estimated from its length. */
  hiddenTokens: number
  isUnusable: boolean
}

/** More calls than any answer has. It bounds the memory that a hostile provider can fill. */
const maxCalls = 1_024

function begun(text: string, state: StreamState): string {
  if (text === '') return ''
  const { role } = state
  state.role = ''
  return role + text
}

/** @throws StreamFailure when the stream cannot continue */
function convertMessage({ type, name, payload }: EventMessage, state: StreamState): string {
  const convert = converters.get(name)
  if (type === 'event' && convert === undefined) return ''
  const event = parseEvent(payload)
  if (type !== 'event' || convert === undefined) throw new StreamFailure(exceptionFailure(name, event).message)
  if (event === null) throw new Error('an event without an object')
  return convert(event, state)
}

/** Events of other kinds have no equivalent in a chat completion. */
const converters: ReadonlyMap<string, (event: Fields, state: StreamState) => string> = new Map([
  ['contentBlockStart', convertBlockStart],
  ['contentBlockDelta', convertDelta],
  ['contentBlockStop', convertBlockStop],
  ['messageStop', convertStop],
  ['metadata', convertMetadata],
])

function convertBlockStart({ start, contentBlockIndex }: Fields, state: StreamState): string {
  const use = asObject(asObject(start)?.toolUse)
  if (typeof use?.toolUseId !== 'string' || typeof use.name !== 'string') return ''
  if (state.calls >= maxCalls) throw new StreamFailure(unreadable)
  const index = state.calls
  state.calls += 1
  state.tools.set(contentBlockIndex, { index, hasArguments: false })
  return state.writer.toolCall(index, { id: use.toolUseId, name: use.name })
}

function convertDelta({ delta, contentBlockIndex }: Fields, state: StreamState): string {
  const { writer, tools } = state
  const { text, toolUse, reasoningContent } = asObject(delta) ?? {}
  if (isPiece(text)) return writer.text(text)
  const reasoning = asObject(reasoningContent)
  if (reasoning !== null) return convertReasoning(contentBlockIndex, reasoning, state)
  const input = asObject(toolUse)?.input
  const tool = tools.get(contentBlockIndex)
  if (tool === undefined || !isPiece(input)) return ''
  tool.hasArguments = true
  return writer.toolArguments(tool.index, input)
}

/** The signature comes after the text of its block. */
function convertReasoning(block: unknown, { text, signature, redactedContent }: Fields, state: StreamState): string {
  const { thoughts, writer } = state
  if (isPiece(redactedContent)) {
    state.hiddenTokens += encryptedTokens(redactedContent.length)
    thoughts.begin(block, { type: 'redacted_thinking', data: redactedContent })
    return ''
  }
  if (state.thinkingBlock !== block) thoughts.begin(block, { type: 'thinking' })
  state.thinkingBlock = block
  thoughts.add(block, { thinking: text, signature })
  return isPiece(text) ? writer.reasoning(text) : ''
}

/** Signed reasoning, written when its block ends so that it is directly after its text. */
function signatures(state: StreamState): string {
  const details = signsReasoning(state.modelId) ? state.thoughts.details() : []
  if (details.length === 0) return ''
  const numbered = details.map((detail, index) => ({ ...detail, index: state.details + index }))
  state.details += details.length
  state.thoughts = createThoughtRecorder()
  state.thinkingBlock = null
  return state.writer.reasoningDetails(numbered)
}

/** A call without arguments has no deltas here, but `{}` in a chat completion. */
function convertBlockStop({ contentBlockIndex }: Fields, state: StreamState): string {
  const { writer, tools } = state
  const signed = signatures(state)
  if (signed !== '') return signed
  const tool = tools.get(contentBlockIndex)
  if (tool === undefined || tool.hasArguments) return ''
  tool.hasArguments = true
  return writer.toolArguments(tool.index, '{}')
}

function convertStop({ stopReason }: Fields, state: StreamState): string {
  state.isUnusable = isMalformed(stopReason)
  if (state.isUnusable) throw new StreamFailure('The model wrote an answer that cannot be used.')
  state.stopped = true
  return signatures(state) + state.writer.finish(finishReasonOf(stopReason))
}

function convertMetadata({ usage }: Fields, state: StreamState): string {
  const { writer, modelId } = state
  const read = readConverseUsage(usage, modelId)
  state.usage = read
  return read === null ? '' : writer.usage(read)
}

function isPiece(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
