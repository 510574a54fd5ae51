import { hash } from 'node:crypto'
import type { FineTuningMethodName } from '@ratchet/contracts/fine-tuning-models'
import { AnsweredExample } from '@ratchet/contracts/training-example'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { parseJson } from '@ratchet/service-kit/values/json'
import { storableText } from '@ratchet/service-kit/values/storable-text'
import { z } from 'zod'

/** One line of training data. */
export type ReadExample =
  | {
      readonly kind: 'example'
      /** Tokens that are trained; of both answers of a pair. */
      readonly tokens: number
      /** Tokens of the longest sequence, which has a maximum. */
      readonly longest: number
      /** Whether no answer has a weight of 1. */
      readonly isEmpty: boolean
      /** The same for equal examples. */
      readonly key: string
      /** The same for examples with equal messages before the answer. */
      readonly promptKey: string
      /** The same for examples that belong to one conversation. */
      readonly rootKey: string
    }
  | { readonly kind: 'invalid'; readonly message: string }

/** Tokens of a text. */
export type CountTokens = (text: string) => number

const Answer = z
  .array(z.looseObject({ role: z.literal('assistant'), content: z.unknown() }), 'This must be a list with one answer.')
  .min(1)
  .max(1)

/** A pair of answers in OpenAI's format. */
const PreferenceExample = z.strictObject({
  input: z.strictObject({
    messages: z
      .array(z.looseObject({ role: z.string() }))
      .min(1)
      .max(10_000),
    tools: z.array(z.looseObject({})).optional(),
    parallel_tool_calls: z.boolean().optional(),
  }),
  preferred_output: Answer,
  non_preferred_output: Answer,
})

/** @param text the line */
export function readExample(text: string, method: FineTuningMethodName, count: CountTokens): ReadExample {
  const value = parseJson(text)
  if (value === undefined) return { kind: 'invalid', message: 'This is not JSON.' }
  try {
    return method === 'dpo' ? readPair(value, count) : readConversation(value, count)
  } catch (error) {
    // The text has as many levels as fit into it, and writing it again takes a call for each.
    if (error instanceof RangeError) return { kind: 'invalid', message: 'The line is nested too deeply.' }
    if (!(error instanceof ServiceError)) throw error
    // It may quote a name of any length.
    return {
      kind: 'invalid',
      message: storableText(error.message.replace(/^The body /, 'The line '), maxMessageLength),
    }
  }
}

const maxMessageLength = 300

function readConversation(value: unknown, count: CountTokens): ReadExample {
  const { messages, tools } = parseInput(AnsweredExample, value)
  const tokens = count(textOf([messages.map(withoutWeight), tools]))
  const weights = messages.flatMap(({ role, weight }) => (role === 'assistant' ? [weight ?? 1] : []))
  return {
    kind: 'example',
    tokens,
    longest: tokens,
    isEmpty: !weights.includes(1),
    ...keysOf({ whole: [messages, tools], messages: messages.slice(0, -1), tools }),
  }
}

function readPair(value: unknown, count: CountTokens): ReadExample {
  const { input, preferred_output: preferred, non_preferred_output: other } = parseInput(PreferenceExample, value)
  const prompt = count(textOf([input.messages, input.tools]))
  const answers = [count(textOf(preferred)), count(textOf(other))]
  return {
    kind: 'example',
    tokens: prompt + sum(answers),
    longest: prompt + Math.max(...answers),
    isEmpty: textOf(preferred) === textOf(other),
    ...keysOf({ whole: [input, preferred, other], messages: input.messages, tools: input.tools }),
  }
}

interface Keyed {
  readonly whole: unknown
  /** Before the answer. */
  readonly messages: readonly { readonly role: string }[]
  readonly tools: unknown
}

function keysOf({ whole, messages, tools }: Keyed) {
  return { key: digest(whole), promptKey: digest([messages, tools]), rootKey: rootKeyOf(messages) }
}

/** The same for messages that begin one conversation: equal up to the first message of the user. SHA-256 in base64. */
export function rootKeyOf(messages: readonly { readonly role: string }[]): string {
  const firstOfUser = messages.findIndex(({ role }) => role === 'user')
  return digest(messages.slice(0, firstOfUser === -1 ? messages.length : firstOfUser + 1))
}

function digest(value: unknown): string {
  return hash('sha256', textOf(value), 'base64')
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

function withoutWeight<Message extends object>(message: Message): object {
  const { weight: _weight, ...rest } = message as Message & { readonly weight?: unknown }
  return rest
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
