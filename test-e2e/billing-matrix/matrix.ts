import { type SimulatedProviderId, simulatedProviders } from '@ratchet/simulated-provider/simulated-catalog'

/** Surfaces that neither chat nor stream, and that only OpenAI-compatible providers have. */
export const media = ['moderations', 'images', 'speech', 'transcriptions'] as const
export const surfaces = [
  'chat',
  'responses',
  'messages',
  'completions',
  'compactions',
  'sockets',
  'embeddings',
  'rerank',
  'gemini',
  ...media,
] as const
export const wires = simulatedProviders
const deliveries = ['plain', 'stream'] as const
const conditions = [
  'nothing special',
  'tool call',
  'cached input',
  'cache write',
  'cache write for an hour',
  'reasoning',
  'cache hit',
  'idempotent replay',
  'fallback',
  'retry',
  'client leaves',
  'leaves before the first token',
  'leaves on the last token',
  'hidden reasoning',
  'early usage',
  'leaves after a fallback',
  'upstream cut',
  'cut after a search',
  'zero usage',
  'missing usage',
  'hosted tool',
  'service tier',
  'batch',
] as const

export type SurfaceName = (typeof surfaces)[number]
type Wire = SimulatedProviderId
type Delivery = (typeof deliveries)[number]
type Condition = (typeof conditions)[number]

/** One cell: surface, wire format of the provider, delivery, and condition. */
export interface Cell {
  readonly surface: SurfaceName
  readonly wire: Wire
  readonly delivery: Delivery
  readonly condition: Condition
  /** The model that answers, without its prefix; absent for the usual model of the surface. */
  readonly model?: string
}

/** A set of cells: all combinations of the listed values; a list that is absent means all values. */
interface Block {
  readonly surfaces?: readonly SurfaceName[]
  readonly wires?: readonly Wire[]
  readonly deliveries?: readonly Delivery[]
  readonly conditions?: readonly Condition[]
}

export interface Excuse extends Block {
  readonly because: string
}

const texts = ['chat', 'responses', 'messages'] as const
const common = [
  'nothing special',
  'cache hit',
  'idempotent replay',
  'fallback',
  'retry',
  'client leaves',
  'upstream cut',
  'zero usage',
  'missing usage',
] as const

/** A client that leaves an unstreamed answer has seen no token of it. */
const onlyStreamed = ['leaves before the first token', 'leaves on the last token', 'leaves after a fallback'] as const

const cacheWrites = ['cache write', 'cache write for an hour'] as const

/** Conditions in which nothing but the form of a request and its answer differs from another surface. */
const rewritten = ['nothing special', 'idempotent replay', 'fallback', 'retry', 'zero usage', 'missing usage'] as const
const notRewritten = conditions.filter(
  (condition) => condition !== 'batch' && !rewritten.some((each) => each === condition),
)

/** Surfaces whose requests a batch may have, and the others. */
const batched = ['chat', 'responses', 'completions', 'embeddings', 'moderations'] as const
const notBatched = surfaces.filter((surface) => !batched.some((each) => each === surface))

/** Conditions in which it matters that a request of a WebSocket has no connection of its own. */
const ofSockets = [
  'nothing special',
  'tool call',
  'fallback',
  'retry',
  'client leaves',
  'leaves before the first token',
  'leaves on the last token',
  'upstream cut',
  'zero usage',
  'missing usage',
] as const
const notOfSockets = conditions.filter((condition) => !ofSockets.some((each) => each === condition))

/** Tested cells. */
export const tested: readonly Block[] = [
  { surfaces: ['chat', 'responses', 'completions'], deliveries: ['plain'], conditions: ['batch'] },
  { surfaces: ['embeddings'], wires: ['sim', 'sim-google'], deliveries: ['plain'], conditions: ['batch'] },
  { surfaces: ['moderations'], wires: ['sim'], deliveries: ['plain'], conditions: ['batch'] },
  { surfaces: ['completions', 'gemini'], conditions: rewritten },
  { surfaces: ['compactions'], deliveries: ['plain'], conditions: rewritten },
  { surfaces: ['sockets'], deliveries: ['stream'], conditions: ofSockets },
  { surfaces: texts, conditions: [...common, 'tool call', 'cached input', 'reasoning'] },
  { surfaces: texts, conditions: ['hosted tool', 'service tier'] },
  { surfaces: texts, conditions: ['hidden reasoning'] },
  { surfaces: texts, deliveries: ['stream'], conditions: onlyStreamed },
  { surfaces: ['responses'], wires: ['sim'], deliveries: ['stream'], conditions: ['cut after a search'] },
  { surfaces: ['messages'], wires: ['sim-anthropic'], deliveries: ['stream'], conditions: ['cut after a search'] },
  { surfaces: ['chat', 'messages'], deliveries: ['stream'], conditions: ['early usage'] },
  {
    surfaces: ['responses'],
    wires: ['sim-anthropic', 'sim-google', 'sim-bedrock'],
    deliveries: ['stream'],
    conditions: ['early usage'],
  },
  { surfaces: ['chat', 'messages'], wires: ['sim-anthropic'], conditions: ['cache write'] },
  { surfaces: ['messages'], wires: ['sim-anthropic'], conditions: ['cache write for an hour'] },
  { surfaces: ['embeddings'], wires: ['sim', 'sim-google'], deliveries: ['plain'], conditions: common },
  { surfaces: ['rerank', ...media], wires: ['sim'], deliveries: ['plain'], conditions: common },
]

/** Cells that cannot be tested, with the reason. */
export const excuses: readonly Excuse[] = [
  { surfaces: notBatched, conditions: ['batch'], because: 'a batch has no requests of this surface' },
  { deliveries: ['stream'], conditions: ['batch'], because: 'an answer in a file is not streamed' },
  {
    surfaces: ['completions', 'gemini', 'compactions'],
    conditions: notRewritten,
    because:
      'a text completion or a request of Gemini is a chat completion, and a compaction a response, before anything is priced',
  },
  { surfaces: ['sockets'], deliveries: ['plain'], because: 'every answer on a WebSocket is streamed' },
  {
    surfaces: ['sockets'],
    deliveries: ['stream'],
    conditions: notOfSockets,
    because: 'each request on a WebSocket is a streamed response before anything is priced, without an idempotency key',
  },
  { surfaces: ['compactions'], deliveries: ['stream'], because: 'a compaction is not streamed' },
  { surfaces: ['embeddings', 'rerank', ...media], deliveries: ['stream'], because: 'these surfaces do not stream' },
  {
    surfaces: ['embeddings'],
    wires: ['sim-anthropic', 'sim-bedrock'],
    because: 'Anthropic has no embeddings; Converse, the only API of Bedrock that is spoken, has none either',
  },
  {
    surfaces: ['rerank', ...media],
    wires: ['sim-anthropic', 'sim-google', 'sim-bedrock'],
    because: 'only OpenAI-compatible providers are asked to do this',
  },
  {
    surfaces: ['embeddings', 'rerank', ...media],
    conditions: [
      'tool call',
      'hosted tool',
      'service tier',
      'reasoning',
      'hidden reasoning',
      'early usage',
      'cut after a search',
      ...onlyStreamed,
    ],
    because: 'no text is generated',
  },
  {
    surfaces: texts,
    deliveries: ['plain'],
    conditions: ['early usage', 'cut after a search', ...onlyStreamed],
    because: 'an unstreamed answer has one part, which states the usage',
  },
  {
    surfaces: ['chat'],
    deliveries: ['stream'],
    conditions: ['cut after a search'],
    because: 'a chat completion has no tools that the provider runs',
  },
  {
    surfaces: ['responses'],
    wires: ['sim-anthropic', 'sim-google', 'sim-bedrock'],
    deliveries: ['stream'],
    conditions: ['cut after a search'],
    because: 'a tool of one provider is left out for another',
  },
  {
    surfaces: ['messages'],
    wires: ['sim', 'sim-google', 'sim-bedrock'],
    deliveries: ['stream'],
    conditions: ['cut after a search'],
    because: 'a tool of one provider is left out for another',
  },
  {
    surfaces: ['responses'],
    wires: ['sim'],
    deliveries: ['stream'],
    conditions: ['early usage'],
    because: 'only the last event of a response has usage',
  },
  {
    surfaces: ['embeddings', 'rerank', ...media],
    conditions: ['cached input', ...cacheWrites],
    because: 'no provider reports cached tokens here',
  },
  {
    surfaces: texts,
    wires: ['sim'],
    conditions: cacheWrites,
    because: "writing to OpenAI's cache is free, and the simulated provider reports none",
  },
  { surfaces: texts, wires: ['sim-google'], conditions: cacheWrites, because: 'Gemini counts no writes' },
  {
    surfaces: texts,
    wires: ['sim-bedrock'],
    conditions: cacheWrites,
    because: "cache points are set for Anthropic's models on Bedrock alone, and no simulated model is called so",
  },
  {
    surfaces: ['responses'],
    wires: ['sim-anthropic'],
    conditions: cacheWrites,
    because: 'a request of the Responses API cannot say what to cache',
  },
  {
    surfaces: ['chat'],
    wires: ['sim-anthropic'],
    conditions: ['cache write for an hour'],
    because: 'a chat completion gets caches of five minutes, and the header names what was left out',
  },
]

/** Cells with other prices than the usual ones: per search, per token of a rerank, per image, of long prompts. */
export const variants: readonly Cell[] = [
  // The prompt is shorter, or longer, than the long prompts of the model, and all of its readings together are longer.
  ...(['hosted-long-sum', 'hosted-long'] as const).flatMap((model) =>
    deliveries.flatMap((delivery): Cell[] => [
      { surface: 'responses', wire: 'sim', delivery, condition: 'hosted tool', model },
      { surface: 'messages', wire: 'sim-anthropic', delivery, condition: 'hosted tool', model },
    ]),
  ),
  ...(['rerank-by-token', 'rerank-by-search'] as const).flatMap((model) =>
    (['nothing special', 'zero usage', 'missing usage'] as const).map(
      (condition): Cell => ({ surface: 'rerank', wire: 'sim', delivery: 'plain', condition, model }),
    ),
  ),
  ...(['nothing special', 'cache hit', 'missing usage'] as const).map(
    (condition): Cell => ({ surface: 'images', wire: 'sim', delivery: 'plain', condition, model: 'image-flat' }),
  ),
  ...deliveries.map(
    (delivery): Cell => ({ surface: 'chat', wire: 'sim', delivery, condition: 'nothing special', model: 'tiered' }),
  ),
]

/** All possible cells. */
export function allCells(): readonly Cell[] {
  return surfaces.flatMap((surface) =>
    wires.flatMap((wire) =>
      conditions.flatMap((condition) => deliveries.map((delivery): Cell => ({ surface, wire, condition, delivery }))),
    ),
  )
}

export function isIn(block: Block, { surface, wire, delivery, condition }: Cell): boolean {
  return (
    (block.surfaces ?? surfaces).includes(surface) &&
    (block.wires ?? wires).includes(wire) &&
    (block.deliveries ?? deliveries).includes(delivery) &&
    (block.conditions ?? conditions).includes(condition)
  )
}

/** True when the client disconnects before its answer is complete. */
export function isLeft({ condition }: Cell): boolean {
  return leftConditions.some((each) => each === condition)
}

const leftConditions = [
  'client leaves',
  'leaves before the first token',
  'leaves on the last token',
  'leaves after a fallback',
  'hidden reasoning',
] as const

/**
 * True when the provider has the hosted tool, or the service tier, of the condition. It is left out everywhere else, and
 * then the usual price applies.
 */
export function hasExtra({ surface, wire, condition }: Cell): boolean {
  if (surface === 'messages') return wire === 'sim-anthropic'
  return wire === 'sim' && (surface === 'responses' || condition === 'service tier')
}

export function nameOf({ surface, wire, condition, delivery, model }: Cell): string {
  const priced = model === undefined ? '' : `, priced as ${model}`
  const tolerance = delivery === 'stream' && condition === 'client leaves' ? ' (to the chunk)' : ''
  return `${surface} over ${wire}, ${delivery}: ${condition}${tolerance}${priced}`
}

export function isMedia(surface: SurfaceName): surface is (typeof media)[number] {
  return media.some((each) => each === surface)
}
