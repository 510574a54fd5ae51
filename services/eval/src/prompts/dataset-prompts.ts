import { hash } from 'node:crypto'
import { type DatasetExample, getDataset, listDatasetExamples } from '@ratchet/contracts/datasets'
import type { Identity } from '@ratchet/contracts/identity'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { ServiceError } from '@ratchet/service-kit/service-error'
import { randomFromSeed } from '@ratchet/stats/random-from-seed'
import type { DrawnPrompt } from '../samples/sample.ts'
import { mapInBatches } from './map-in-batches.ts'
import type { PromptOrder, PromptSource, PromptTokens } from './prompt-source.ts'

/** For each prompt that is wanted so many examples are read at most: others may repeat it. */
const readsPerPrompt = 3

/** Prompts that say what an eval would cost: somebody waits for that. */
const maxSurveyed = 50

/** Distinct prompts of a dataset, drawn at random; the last message of an example is its stored answer. */
export function createDatasetPrompts(logging: Pick<FleetClient, 'call'>): PromptSource {
  return {
    async survey(order) {
      const { sample_count: count } = order.request
      const looked = { ...order, request: { ...order.request, sample_count: Math.min(count, maxSurveyed) } }
      const { total, drawn } = await drawExamples(logging, looked)
      const tokens = drawn.map(({ prompt, reference }) => ({
        prompt: tokensAbout(prompt),
        completion: tokensAbout(reference),
      }))
      return { eligible: total, distinct: drawn.length, tokens: asMany(tokens, Math.min(count, total)) }
    },
    draw: async (order) => (await drawExamples(logging, order)).drawn,
  }
}

/** The rest is taken to be like what was looked at, unless there is no more than that. */
function asMany(tokens: readonly PromptTokens[], count: number): readonly PromptTokens[] {
  if (tokens.length < maxSurveyed) return tokens
  return Array.from({ length: count }, (_, index) => tokens[index % tokens.length] ?? { prompt: 0, completion: 0 })
}

async function drawExamples(logging: Pick<FleetClient, 'call'>, { identity, request }: PromptOrder) {
  const id = request.sample_filters.dataset_id ?? ''
  const total = await countExamples(logging, identity, id)
  const { sample_count: count, seed } = request
  const places = drawPlaces({ total, count: Math.min(total, readsPerPrompt * count), seed })
  const drawn = new Map<string, DrawnPrompt>()
  for (let from = 0; from < places.length && drawn.size < count; from += count) {
    const wanted = places.slice(from, from + count)
    const examples = await mapInBatches(wanted, (offset) => readExample(logging, { identity, id, offset }))
    for (const prompt of examples.map(promptOf)) {
      if (prompt !== null && !drawn.has(prompt.cluster) && drawn.size < count) drawn.set(prompt.cluster, prompt)
    }
  }
  return { total, drawn: [...drawn.values()] }
}

async function countExamples(logging: Pick<FleetClient, 'call'>, identity: Identity, id: string): Promise<number> {
  try {
    const { example_count: total } = await logging.call(getDataset, { params: { id } }, identity)
    return total
  } catch (error) {
    if (!(error instanceof FleetCallError) || error.status !== 404) throw error
    const message = `There is no dataset ${JSON.stringify(id)}.`
    throw new ServiceError('not_found', message, { param: 'sample_filters.dataset_id', cause: error })
  }
}

/** Different places among `total`, decided by the seed: Floyd's sample, shuffled. */
function drawPlaces({ total, count, seed }: { total: number; count: number; seed: number }): readonly number[] {
  const random = randomFromSeed(String(seed))
  const places: number[] = []
  const taken = new Set<number>()
  for (let last = total - count; last < total; last += 1) {
    const wanted = Math.floor(random() * (last + 1))
    const place = taken.has(wanted) ? last : wanted
    taken.add(place)
    places.splice(Math.floor(random() * (places.length + 1)), 0, place)
  }
  return places
}

interface Place {
  readonly identity: Identity
  readonly id: string
  readonly offset: number
}

async function readExample(
  logging: Pick<FleetClient, 'call'>,
  { identity, id, offset }: Place,
): Promise<DatasetExample | null> {
  const page = { params: { id }, query: { limit: 1, offset } }
  const { data } = await logging.call(listDatasetExamples, page, identity)
  return data[0] ?? null
}

/** An example as a prompt; null for one that has no question before its answer. */
function promptOf(example: DatasetExample | null): DrawnPrompt | null {
  const reference = example?.messages.at(-1)
  const messages = (example?.messages.slice(0, -1) ?? []).map(withoutWeight)
  if (example === null || reference?.role !== 'assistant' || messages.length === 0) return null
  return {
    cluster: hash('sha256', JSON.stringify([messages, example.tools]), 'hex'),
    logId: null,
    traceId: null,
    stepIndex: null,
    expiresAt: null,
    prompt: { messages, tools: example.tools, responseFormat: null },
    reference: withoutWeight(reference),
    recorded: null,
  }
}

/** Weights are for trainers; a provider would refuse them. */
function withoutWeight<Message extends { readonly role: string }>(message: Message): Message {
  const { weight: _weight, ...rest } = message as Message & { weight?: unknown }
  return rest as unknown as Message
}

/** About as many tokens as a text of this JSON has: one for four bytes. */
function tokensAbout(value: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(value) ?? '') / 4)
}
