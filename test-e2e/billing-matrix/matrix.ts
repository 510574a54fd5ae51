import { type SimulatedProviderId, simulatedProviders } from '@ratchet/simulated-provider/simulated-catalog'

export const surfaces = ['chat', 'responses', 'messages', 'embeddings', 'rerank'] as const
export const wires = simulatedProviders
const deliveries = ['plain', 'stream'] as const
const conditions = [
  'nothing special',
  'tool call',
  'cached input',
  'cache write',
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
  'upstream cut',
  'zero usage',
  'missing usage',
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
const onlyStreamed = ['leaves before the first token', 'leaves on the last token'] as const

/** Tested cells. */
export const tested: readonly Block[] = [
  { surfaces: texts, conditions: [...common, 'tool call', 'cached input', 'reasoning'] },
  { surfaces: texts, conditions: ['hidden reasoning'] },
  { surfaces: texts, deliveries: ['stream'], conditions: onlyStreamed },
  { surfaces: ['chat', 'messages'], deliveries: ['stream'], conditions: ['early usage'] },
  {
    surfaces: ['responses'],
    wires: ['sim-anthropic', 'sim-google', 'sim-bedrock'],
    deliveries: ['stream'],
    conditions: ['early usage'],
  },
  { surfaces: ['chat', 'messages'], wires: ['sim-anthropic'], conditions: ['cache write'] },
  { surfaces: ['embeddings'], wires: ['sim', 'sim-google'], deliveries: ['plain'], conditions: common },
  { surfaces: ['rerank'], wires: ['sim'], deliveries: ['plain'], conditions: common },
]

/** Cells that cannot be tested, with the reason. */
export const excuses: readonly Excuse[] = [
  { surfaces: ['embeddings', 'rerank'], deliveries: ['stream'], because: 'neither surface streams' },
  {
    surfaces: ['embeddings'],
    wires: ['sim-anthropic', 'sim-bedrock'],
    because: 'Anthropic has no embeddings; Converse, the only API of Bedrock that is spoken, has none either',
  },
  {
    surfaces: ['rerank'],
    wires: ['sim-anthropic', 'sim-google', 'sim-bedrock'],
    because: 'only OpenAI-compatible providers are asked to rerank',
  },
  {
    surfaces: ['embeddings', 'rerank'],
    conditions: ['tool call', 'reasoning', 'hidden reasoning', 'early usage', ...onlyStreamed],
    because: 'nothing is generated',
  },
  {
    surfaces: texts,
    deliveries: ['plain'],
    conditions: ['early usage', ...onlyStreamed],
    because: 'an unstreamed answer has one part, which states the usage',
  },
  {
    surfaces: ['responses'],
    wires: ['sim'],
    deliveries: ['stream'],
    conditions: ['early usage'],
    because: 'only the last event of a response has usage',
  },
  {
    surfaces: ['embeddings', 'rerank'],
    conditions: ['cached input', 'cache write'],
    because: 'no provider reports cached tokens here',
  },
  {
    surfaces: texts,
    wires: ['sim'],
    conditions: ['cache write'],
    because: "writing to OpenAI's cache is free, and the simulated provider reports none",
  },
  { surfaces: texts, wires: ['sim-google'], conditions: ['cache write'], because: 'Gemini counts no writes' },
  {
    surfaces: texts,
    wires: ['sim-bedrock'],
    conditions: ['cache write'],
    because: "cache points are set for Anthropic's models on Bedrock alone, and no simulated model is called so",
  },
  {
    surfaces: ['responses'],
    wires: ['sim-anthropic'],
    conditions: ['cache write'],
    because: 'a request of the Responses API cannot say what to cache',
  },
]

/** Cells with prices that simulated models do not have: per search, per token of a rerank, of long prompts. */
export const variants: readonly Cell[] = [
  ...(['rerank-by-token', 'rerank-by-search'] as const).flatMap((model) =>
    (['nothing special', 'zero usage', 'missing usage'] as const).map(
      (condition): Cell => ({ surface: 'rerank', wire: 'sim', delivery: 'plain', condition, model }),
    ),
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
  'hidden reasoning',
] as const

export function nameOf({ surface, wire, condition, delivery, model }: Cell): string {
  const priced = model === undefined ? '' : `, priced as ${model}`
  const tolerance = delivery === 'stream' && condition === 'client leaves' ? ' (to the chunk)' : ''
  return `${surface} over ${wire}, ${delivery}: ${condition}${tolerance}${priced}`
}
