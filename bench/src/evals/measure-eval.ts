import { eventually } from '@ratchet/testing/eventually'
import { cpuMsOf } from '../measure/cpu-clock.ts'
import { ask } from './caller.ts'
import { type ChatFigures, keepChatting } from './keep-chatting.ts'
import { promptTag } from './log-prompts.ts'
import type { EvalBenchOptions } from './options.ts'
import type { BenchFleet } from './start-fleet.ts'

/** Models that answer without delay. */
export const models = ['sim/quality-0.9', 'sim/quality-0.95', 'sim/quality-0.7', 'sim/quality-0.5'] as const
export const judgeModel = 'sim/judge-0.95-0.95'
const [baseline, ...candidates] = models

export interface EvalFigures {
  readonly concurrency: number
  /** Seconds from its creation to its end. */
  readonly seconds: number
  /** Number of model calls: answers and verdicts. */
  readonly questions: number
  /** Latency of a model call as inference measured it, milliseconds. */
  readonly answerMs: number
  /** CPU seconds of each process by name; empty when the system does not provide them. */
  readonly cpuSeconds: Readonly<Record<string, number>>
  readonly chat: ChatFigures
}

/** Runs an eval with a worker of this concurrency, with concurrent chats. */
export async function measureEval(
  fleet: BenchFleet,
  concurrency: number,
  { samples, chatsPerSecond }: EvalBenchOptions,
): Promise<EvalFigures> {
  const { caller } = fleet
  const worker = await fleet.startWorker({ EVAL_CONCURRENCY: String(concurrency) })
  const pids = { ...fleet.pids, 'eval-worker': worker.pid }
  const before = cpuMsOf(pids)
  const { result, chat } = await keepChatting(caller, chatsPerSecond, async () => {
    const { id } = await ask(caller, '/evals', orderOf(samples))
    return eventually(
      async () => {
        const run = await ask(caller, `/evals/${id}`)
        return ['PENDING', 'RUNNING'].includes(run.status) ? null : run
      },
      { withinMs: 600_000, everyMs: 250 },
    )
  })
  const after = cpuMsOf(pids)
  await worker.stop()
  if (result.status !== 'DONE') throw new Error(`the eval ended as ${result.status}: ${result.error}`)
  const cpuSeconds = Object.entries(after).map(([name, ms]) => [name, (ms - (before[name] ?? 0)) / 1_000])
  return {
    concurrency,
    seconds: (Date.parse(result.finished_at) - Date.parse(result.created_at)) / 1_000,
    questions: samples * questionsPerSample,
    answerMs: result.report.baseline.avg_latency_ms,
    cpuSeconds: Object.fromEntries(cpuSeconds),
    chat,
  }
}

/** Every model once, and the judge twice for each candidate. */
const questionsPerSample = models.length + 2 * candidates.length

function orderOf(samples: number): object {
  return {
    name: 'Which model for the bench',
    rubric: 'The answer is right and complete.',
    baseline_model: baseline,
    candidate_models: candidates,
    sample_count: samples,
    sample_filters: { tag: promptTag },
    judge_model: judgeModel,
  }
}
