import { type Behaviour, parseBehaviour } from './behaviour.ts'
import { type SimulatedProviderId, simulatedCatalog, simulatedProviders } from './simulated-catalog.ts'

/** The task of a model with a request, before any defect is applied to its reply. */
export type Task = 'answer' | 'echo' | 'tools' | 'long' | 'judge' | 'judge-broken' | OtherTask

/** The task of a model that does not chat. */
export type OtherTask = 'embed' | 'rerank' | 'moderate' | 'image' | 'speech' | 'transcribe'

/** One row of the table of models, with the parameters of its name. */
export interface SimulatedModel {
  id: string
  /** The provider of the model, which decides the API on which it answers. */
  provider: SimulatedProviderId
  task: Task
  /** Probability 0..1 that an answer is flawed. */
  flawedShare: number
  /** Delay before the first byte of the reply's body. */
  firstTokenMs: number
  /** Minimum and maximum number of sentences of an answer. */
  sentences: readonly [number, number]
  /** Probability 0..1 that the judge answers FAIL for a flawed (tpr) and PASS for a sound (tnr) answer. */
  accuracy: { tpr: number; tnr: number }
  /** Share 0..1 of the pairs of which the judge prefers the answer that is shown first, in both orders. */
  firstShare: number
  /** Whether the judge is taken in by a phrase. */
  isGullible: boolean
  behaviour: Behaviour | null
  /** Maximum tokens of a prompt, from the catalog. */
  contextWindow: number
  /** Maximum tokens of one choice, from the catalog. */
  maxOutputTokens: number
  /** True when thinking is set by an effort, from the catalog; otherwise by a budget of tokens, if at all. */
  thinksByEffort: boolean
}

type Limits = Pick<SimulatedModel, 'contextWindow' | 'maxOutputTokens' | 'thinksByEffort'>
type Traits = Omit<SimulatedModel, 'id' | 'provider' | keyof Limits>

const base: Traits = {
  task: 'answer',
  flawedShare: 0,
  firstTokenMs: 0,
  sentences: [2, 3],
  accuracy: { tpr: 0.98, tnr: 0.98 },
  firstShare: 0,
  isGullible: false,
  behaviour: null,
}

const named: Record<string, Partial<Traits>> = {
  large: { flawedShare: 0.03, firstTokenMs: 60, sentences: [3, 5] },
  medium: { flawedShare: 0.12, firstTokenMs: 30, sentences: [2, 4] },
  small: { flawedShare: 0.3, firstTokenMs: 15, sentences: [1, 3] },
  echo: { task: 'echo' },
  tools: { task: 'tools' },
  'gemini-3-tools': { task: 'tools' },
  'budget-tools': { task: 'tools', behaviour: { kind: 'reasoning', tokens: 12 } },
  judge: { task: 'judge' },
  'judge-first': { task: 'judge', firstShare: 1 },
  'judge-broken': { task: 'judge-broken' },
  'judge-gullible': { task: 'judge', isGullible: true },
  embed: { task: 'embed' },
  rerank: { task: 'rerank' },
  moderate: { task: 'moderate' },
  image: { task: 'image' },
  'image-flat': { task: 'image' },
  speech: { task: 'speech' },
  transcribe: { task: 'transcribe' },
}

const share = '(0(?:\\.\\d{1,6})?|1(?:\\.0{1,6})?)'
const qualityName = new RegExp(`^quality-${share}$`)
const judgeName = new RegExp(`^judge-${share}-${share}$`)
const firstName = new RegExp(`^judge-first-${share}$`)

/** The model of an id such as `sim/large` or `sim-anthropic/fail-503`; null when there is none. */
export function simulatedModel(id: string): SimulatedModel | null {
  const provider = simulatedProviders.find((prefix) => id.startsWith(`${prefix}/`))
  if (provider === undefined) return null
  const known = cache.get(id)
  if (known !== undefined) return known
  const traits = traitsOf(id.slice(provider.length + 1))
  const limits = traits === null ? null : limitsOf(id)
  if (limits === null) return null
  const model = { ...base, ...traits, ...limits, id, provider }
  // Parameters make the family unlimited; clearing the cache limits the memory.
  if (cache.size >= 1_000) cache.clear()
  cache.set(id, model)
  return model
}

const cache = new Map<string, SimulatedModel>()

const families = simulatedCatalog.map((entry) => ({ entry, pattern: new RegExp(entry.pattern ?? '^$') }))

/** Null for a model that this provider does not offer. */
function limitsOf(id: string): Limits | null {
  const entry = families.find(({ entry, pattern }) => entry.id === id || pattern.test(id))?.entry
  if (entry === undefined) return null
  return {
    contextWindow: entry.context_window,
    maxOutputTokens: entry.max_output_tokens,
    thinksByEffort: entry.capabilities.includes('adaptive_thinking'),
  }
}

const tasks: Readonly<Partial<Record<Behaviour['kind'], Task>>> = { pace: 'long', late: 'echo' }

function traitsOf(name: string): Partial<Traits> | null {
  if (Object.hasOwn(named, name)) return named[name] ?? null
  const quality = qualityName.exec(name)
  if (quality) return { flawedShare: 1 - Number(quality[1]) }
  const judge = judgeName.exec(name)
  if (judge) return { task: 'judge', accuracy: { tpr: Number(judge[1]), tnr: Number(judge[2]) } }
  const first = firstName.exec(name)
  if (first) return { task: 'judge', firstShare: Number(first[1]) }
  const behaviour = parseBehaviour(name)
  if (behaviour === null) return null
  return { task: tasks[behaviour.kind] ?? 'answer', behaviour }
}
