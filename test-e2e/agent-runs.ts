import { realQuestions } from '@ratchet/testing/real-prompts'
import type { Api, Json } from './judged-traffic.ts'

/** An agent run for the import: steps that call tools, and one that answers. */
export interface AgentRun {
  readonly traceId: string
  /** Log entries, in order. */
  readonly steps: readonly Json[]
}

export interface AgentRunOptions {
  /** Decides the prompt and the trace id. */
  readonly number: number
  readonly steps: number
  readonly tag: string
  /** Whether every answer of the run is flawed, as the simulated judges define it. */
  readonly isFlawed?: boolean
  /** Finish reason of the last step; `stop` by default. */
  readonly finishReason?: string
  /** Age of the last step in minutes; 60 by default. */
  readonly minutesAgo?: number
}

const stringArgument = { type: 'string' }

/** Tools of the agents. `search` requires a language, for which there is one value. */
export const agentTools: readonly Json[] = [
  functionTool('search', { language: { type: 'string', enum: ['en'] }, query: stringArgument }),
  functionTool('open', { page: stringArgument }),
]

function functionTool(name: string, properties: object): Json {
  const parameters = { type: 'object', properties, required: Object.keys(properties) }
  return { type: 'function', function: { name, description: `To ${name}.`, parameters } }
}

/** Creates a run in which each step contains all earlier messages. */
export function agentRun(options: AgentRunOptions): AgentRun {
  const { number, steps, tag, finishReason = 'stop', minutesAgo = 60 } = options
  const traceId = `${tag}-${number}`
  const question = realQuestions()[number % realQuestions().length]?.turns[0] ?? ''
  const history: Json[] = [
    { role: 'system', content: 'Look it up before you answer.' },
    { role: 'user', content: `${question} (case ${number})` },
  ]
  const entries = Array.from({ length: steps }, (_, step) => {
    const isLast = step === steps - 1
    const response = isLast ? answer(options) : call(options, step)
    const entry = {
      model: 'acme/agent',
      trace_id: traceId,
      tag,
      tools: agentTools,
      latency_ms: 700 + step,
      prompt_tokens: 800 + 120 * step,
      completion_tokens: 60,
      cost_usd: 0.004,
      created_at: new Date(Date.now() - minutesAgo * 60_000 - (steps - 1 - step) * 1_000).toISOString(),
      finish_reason: isLast ? finishReason : 'tool_calls',
      messages: [...history],
      response,
    }
    const [made] = response.tool_calls ?? []
    history.push(response, { role: 'tool', tool_call_id: made?.id ?? '', content: `Page ${step} on case ${number}.` })
    return entry
  })
  return { traceId, steps: entries }
}

function call({ number, isFlawed = false }: AgentRunOptions, step: number): Json {
  const query = `${isFlawed ? '(flawed) ' : ''}case ${number}, part ${step}`
  const made =
    step === 0 ? { name: 'search', args: { language: 'en', query } } : { name: 'open', args: { page: query } }
  const id = `call_${number}_${step}`
  const tool_calls = [{ id, type: 'function', function: { name: made.name, arguments: JSON.stringify(made.args) } }]
  return { role: 'assistant', content: null, tool_calls }
}

function answer({ number, isFlawed = false }: AgentRunOptions): Json {
  return { role: 'assistant', content: `${isFlawed ? '(flawed) ' : ''}That settles case ${number}.` }
}

/** Imports runs; resolves when they are in the log. */
export async function importRuns(api: Api, runs: readonly AgentRun[]): Promise<void> {
  const logs = runs.flatMap(({ steps }) => steps)
  const { status, json, text } = await api('POST', '/logs/import', { logs })
  if (status !== 200 || json.imported !== logs.length) throw new Error(`${status}: ${text.slice(0, 500)}`)
}
