import { hash } from 'node:crypto'
import { type Dataset, type DatasetExample, getDataset, listDatasetExamples } from '@ratchet/contracts/datasets'
import { loggedBaseline } from '@ratchet/contracts/evals'
import type { Identity } from '@ratchet/contracts/identity'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import { randomFromSeed } from '@ratchet/stats/random-from-seed'
import type { DrawnPrompt } from '../samples/sample.ts'
import { mapInBatches } from './map-in-batches.ts'
import type { PromptRequest, PromptSource, PromptTokens } from './prompt-source.ts'

/** Maximum examples read per requested prompt, because examples may repeat a prompt. */
const readsPerPrompt = 3

/** Tokens of an answer where no example says how long answers are. */
const assumedTokens = 300

/** Maximum prompts read for an estimate, because a user waits for it. */
const maxSurveyed = 50

/** Distinct prompts of a dataset, drawn at random; the last message of an example is its stored answer. */
export function createDatasetPrompts(logging: Pick<FleetClient, 'call'>): PromptSource {
  return {
    async survey(request) {
      const { sample_count: count } = request.request
      const limited = { ...request, request: { ...request.request, sample_count: Math.min(count, maxSurveyed) } }
      const { total, drawn } = await drawExamples(logging, limited)
      const tokens = drawn.map(({ prompt, reference }) => ({
        prompt: estimateTokens(prompt),
        completion: reference === null ? assumedTokens : estimateTokens(reference),
      }))
      return { eligible: total, distinct: drawn.length, tokens: extrapolate(tokens, Math.min(count, total)) }
    },
    draw: async (request) => (await drawExamples(logging, request)).drawn,
  }
}

/** Assumes that the prompts that were not read resemble those that were. */
function extrapolate(tokens: readonly PromptTokens[], count: number): readonly PromptTokens[] {
  if (tokens.length < maxSurveyed) return tokens
  return Array.from({ length: count }, (_, index) => tokens[index % tokens.length] ?? { prompt: 0, completion: 0 })
}

async function drawExamples(logging: Pick<FleetClient, 'call'>, { identity, request }: PromptRequest) {
  const id = request.sample_filters.dataset_id ?? ''
  const needsReply = request.judging_mode === 'match_reference' || request.baseline_model === loggedBaseline
  const { total, format } = await datasetOf(logging, identity, { id, needsReply })
  const { sample_count: count, seed } = request
  const places = drawPlaces({ total, count: Math.min(total, readsPerPrompt * count), seed })
  const drawn = new Map<string, DrawnPrompt>()
  for (let from = 0; from < places.length && drawn.size < count; from += count) {
    const batch = places.slice(from, from + count)
    const examples = await mapInBatches(batch, (offset) => readExample(logging, { identity, id, offset }))
    for (const prompt of examples.map((each) => promptOf(each, format))) {
      if (prompt !== null && !drawn.has(prompt.cluster) && drawn.size < count) drawn.set(prompt.cluster, prompt)
    }
  }
  return { total, drawn: [...drawn.values()] }
}

interface NamedDataset {
  readonly id: string
  /** Whether the eval compares with the replies of the examples. */
  readonly needsReply: boolean
}

async function datasetOf(
  logging: Pick<FleetClient, 'call'>,
  identity: Identity,
  { id, needsReply }: NamedDataset,
): Promise<{ readonly total: number; readonly format: Dataset['format'] }> {
  const param = 'sample_filters.dataset_id'
  try {
    const { example_count: total, status, format } = await logging.call(getDataset, { params: { id } }, identity)
    if (format === 'prompts' && needsReply) {
      throw invalidRequest(param, 'The examples of the dataset have no replies, which this eval compares with.')
    }
    if (status !== 'building' && status !== 'failed') return { total, format }
    const message = `The dataset is \`${status}\`, so it has no prompts.`
    throw new ServiceError('conflict', message, { param })
  } catch (error) {
    if (!(error instanceof FleetCallError) || error.status !== 404) throw error
    const message = `There is no dataset with the id ${JSON.stringify(id)}.`
    throw new ServiceError('not_found', message, { param, cause: error })
  }
}

/** Draws distinct offsets below `total` with the seed: Floyd's sampling algorithm, shuffled. */
function drawPlaces({ total, count, seed }: { total: number; count: number; seed: number }): readonly number[] {
  const random = randomFromSeed(String(seed))
  const places: number[] = []
  const taken = new Set<number>()
  for (let last = total - count; last < total; last += 1) {
    const candidate = Math.floor(random() * (last + 1))
    const place = taken.has(candidate) ? last : candidate
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

/** Converts an example to a prompt, which one of the format `prompts` is already. Null when it has no messages before its last answer. */
function promptOf(example: DatasetExample | null, format: Dataset['format']): DrawnPrompt | null {
  if (example === null) return null
  const last = example.messages.at(-1)
  const reference = last?.role === 'assistant' ? last : null
  const messages = (reference === null ? example.messages : example.messages.slice(0, -1)).map(withoutWeight)
  if (messages.length === 0 || (reference === null && format !== 'prompts')) return null
  return {
    cluster: hash('sha256', JSON.stringify([messages, example.tools]), 'hex'),
    logId: null,
    traceId: null,
    stepIndex: null,
    segment: null,
    expiresAt: null,
    prompt: { messages, tools: example.tools, responseFormat: null },
    reference: reference === null ? null : withoutWeight(reference),
    recorded: null,
  }
}

/** Weights are for fine-tuning. Providers refuse them in requests. */
function withoutWeight<Message extends { readonly role: string }>(message: Message): Message {
  const { weight: _weight, ...rest } = message as Message & { weight?: unknown }
  return rest as unknown as Message
}

/** Estimated as bytes of JSON / 4. */
function estimateTokens(value: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(value) ?? '') / 4)
}
