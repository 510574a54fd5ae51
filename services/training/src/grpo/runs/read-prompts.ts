import { hash } from 'node:crypto'
import { maxGrpoPrompts, minGrpoPrompts, minHoldoutPrompts } from '@ratchet/contracts/grpo-body'
import { textOf } from '@ratchet/judge-kit/checks/check-answer'
import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import { sortInSteps } from '@ratchet/service-kit/timing/sort-in-steps'
import { isObject, parseJson } from '@ratchet/service-kit/values/json'
import { rootKeyOf } from '../../data/read-example.ts'

/** What the policy is asked. */
export interface GrpoPrompt {
  readonly messages: readonly ExchangeMessage[]
  readonly tools: readonly Readonly<Record<string, unknown>>[] | null
  /** The text of the last reply of the example; null without one. */
  readonly reference: string | null
}

export interface PromptParts {
  readonly train: readonly GrpoPrompt[]
  readonly guard: readonly GrpoPrompt[]
  readonly proof: readonly GrpoPrompt[]
}

export interface PromptOrder {
  /** Lines of JSON. */
  readonly training: Buffer
  /** Lines that are held out; null to carve a part of the others. */
  readonly heldOut: Buffer | null
  /** The part that is carved, percent; a tenth by default. */
  readonly holdoutPct?: number | undefined
  readonly seed: number
  /** Prompts of a look, at most half of those held out. */
  readonly lookPrompts: number
}

export type ReadPrompts =
  | {
      readonly kind: 'ready'
      readonly parts: PromptParts
      readonly sha256: string
      readonly warnings: readonly string[]
    }
  | {
      readonly kind: 'bad'
      readonly param: string
      readonly message: string
      readonly details: Readonly<Record<string, unknown>>
    }

/**
 * Divides prompts into those that are trained on, those of looks, and those that only the eval of the result may use. No
 * conversation is in two parts. The same data and seed give the same parts. Takes steps of some milliseconds.
 */
export function* readPrompts(order: PromptOrder): Generator<void, ReadPrompts> {
  const all = yield* promptsOf(order.training)
  const given = order.heldOut === null ? null : yield* promptsOf(order.heldOut)
  const warnings: string[] = []
  const held = given?.prompts ?? (yield* carved(all.prompts, order))
  const heldOut = yield* byConversation(held, order.seed)
  const roots = new Set(heldOut.map(({ root }) => root))
  const others = all.prompts.filter(({ root }) => !roots.has(root))
  const train = yield* shuffled(others, ({ key }) => key, order.seed)
  const details = { lines: all.lines, invalid: all.invalid, train: train.length, held_out: heldOut.length }
  if (train.length < minGrpoPrompts) {
    const message = `The dataset has ${train.length} distinct prompts to train on; ${minGrpoPrompts} are needed.`
    return { kind: 'bad', param: 'datasetId', message, details }
  }
  if (heldOut.length < minHoldoutPrompts) {
    const message = `${heldOut.length} prompts are held out; ${minHoldoutPrompts} are needed. Name an \`evalDatasetId\` or a larger dataset.`
    return { kind: 'bad', param: given === null ? 'datasetId' : 'evalDatasetId', message, details }
  }
  if (train.length > maxGrpoPrompts)
    warnings.push(`Of ${train.length} prompts ${maxGrpoPrompts} are used, chosen at random.`)
  if (all.isCut || given?.isCut === true) warnings.push(`Only the first ${maxReadPrompts} distinct prompts are read.`)
  if (all.invalid > 0) warnings.push(`${all.invalid} lines are no prompts and are left out.`)
  const guardSize = Math.min(order.lookPrompts, Math.floor(heldOut.length / 2))
  if (guardSize < order.lookPrompts) warnings.push(`Looks have ${guardSize} prompts: half of those that are held out.`)
  const ofAll = train.slice(0, maxGrpoPrompts)
  const guard = heldOut.slice(0, guardSize)
  const looked = new Set(guard.map(({ root }) => root))
  const proof = heldOut.filter(({ root }) => !looked.has(root)).slice(0, maxProofPrompts)
  if (proof.length === 0) warnings.push('No prompts are left for the eval of the result: looks use all conversations.')
  const parts = { train: ofAll.map(promptOnly), guard: guard.map(promptOnly), proof: proof.map(promptOnly) }
  return { kind: 'ready', parts, sha256: hash('sha256', ofAll.map(({ key }) => key).join('\n'), 'hex'), warnings }
}

/** Distinct prompts in an order that follows from the seed. Takes steps of some milliseconds. */
export function* somePrompts(lines: Buffer, seed: number): Generator<void, readonly GrpoPrompt[]> {
  const { prompts } = yield* promptsOf(lines)
  return (yield* shuffled(prompts, ({ key }) => key, seed)).map(({ prompt }) => prompt)
}

/** Prompts that are kept for the eval of the result. */
const maxProofPrompts = 500
/** Prompts of a dataset that are read, because each needs a kilobyte of memory however short it is. */
const maxReadPrompts = 50_000
/** Lines of a step. */
const stepLines = 200
const newline = 0x0a

/** A prompt with what tells it from others. */
export interface KeyedPrompt {
  readonly prompt: GrpoPrompt
  /** The same for equal prompts. */
  readonly key: string
  /** The same for prompts of one conversation. */
  readonly root: string
}

interface Lines {
  readonly prompts: readonly KeyedPrompt[]
  readonly lines: number
  readonly invalid: number
  /** Whether there are more. */
  readonly isCut: boolean
}

/** Distinct prompts of lines of JSON, in their order. Takes steps of some milliseconds. */
export function* promptsOf(bytes: Buffer): Generator<void, Lines> {
  const prompts = new Map<string, KeyedPrompt>()
  let [lines, invalid, at] = [0, 0, 0]
  while (at < bytes.length) {
    const found = bytes.indexOf(newline, at)
    const end = found === -1 ? bytes.length : found
    const line = bytes.toString('utf8', at, end).trim()
    at = end + 1
    if (line === '') continue
    if (prompts.size === maxReadPrompts) return { prompts: [...prompts.values()], lines, invalid, isCut: true }
    lines += 1
    if (lines % stepLines === 0) yield
    const read = promptOf(parseJson(line))
    if (read === null) invalid += 1
    else if (!prompts.has(read.key)) prompts.set(read.key, read)
  }
  return { prompts: [...prompts.values()], lines, invalid, isCut: false }
}

/** The prompt of an example, without a reply at its end; null for what is none. */
export function promptOf(example: unknown): KeyedPrompt | null {
  if (!isObject(example) || !Array.isArray(example.messages)) return null
  const messages = example.messages.filter(isMessage)
  if (messages.length !== example.messages.length) return null
  const last = messages.at(-1)
  const reply = last?.role === 'assistant' ? last : null
  const asked = (reply === null ? messages : messages.slice(0, -1)).map(
    ({ weight: _weight, ...message }) => message as ExchangeMessage,
  )
  if (!asked.some(({ role }) => role === 'user')) return null
  const tools = Array.isArray(example.tools) && example.tools.every(isObject) ? example.tools : null
  return {
    prompt: { messages: asked, tools, reference: reply === null ? null : textOf(reply) },
    key: digest([asked, tools]),
    root: rootKeyOf(asked),
  }
}

function isMessage(value: unknown): value is ExchangeMessage {
  return isObject(value) && typeof value.role === 'string'
}

/** A part, by conversations. */
function* carved(
  prompts: readonly KeyedPrompt[],
  { seed, holdoutPct = 10 }: Pick<PromptOrder, 'seed' | 'holdoutPct'>,
): Generator<void, readonly KeyedPrompt[]> {
  const sorted = yield* byConversation(prompts, seed)
  const target = Math.ceil((prompts.length * holdoutPct) / 100)
  const last = sorted[target - 1]?.root
  return sorted.filter(({ root }, index) => index < target || root === last)
}

/** Conversations in an order that follows from the seed, each with its prompts side by side. */
function* byConversation(prompts: readonly KeyedPrompt[], seed: number): Generator<void, readonly KeyedPrompt[]> {
  const byRoot = Map.groupBy(prompts, ({ root }) => root)
  const roots = yield* shuffled([...byRoot.keys()], (root) => root, seed)
  return roots.flatMap((root) => byRoot.get(root) ?? [])
}

function promptOnly({ prompt }: KeyedPrompt): GrpoPrompt {
  return prompt
}

/** Each place is computed once: a comparison that computes two would keep the process busy for many seconds. */
export function* shuffled<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  seed: number,
): Generator<void, readonly T[]> {
  const places: { readonly item: T; readonly place: string }[] = []
  for (const item of items) {
    places.push({ item, place: placeOf(keyOf(item), seed) })
    if (places.length % stepLines === 0) yield
  }
  const sorted = yield* sortInSteps(places, (left, right) => (left.place < right.place ? -1 : 1))
  return sorted.map(({ item }) => item)
}

function placeOf(key: string, seed: number): string {
  return hash('sha256', `${seed} ${key}`, 'hex')
}

function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64')
}
