import type { Child } from '@ratchet/infra/processes/child'
import { eventually } from '@ratchet/testing/eventually'
import { ask } from '../evals/caller.ts'
import type { BenchFleet } from '../evals/start-fleet.ts'
import { cpuIsReadable, cpuMsOf, peakResidentMb } from '../measure/cpu-clock.ts'
import type { WorkerBenchOptions } from './options.ts'

export const judgeModel = 'sim/judge-0.95-0.95'

export interface WorkerFigures {
  readonly workers: number
  /** Seconds from the creation of the scan to its end. */
  readonly seconds: number
  readonly judgements: number
  /** CPU milliseconds per judgement, by process; empty when the system does not provide them. */
  readonly cpuMs: Readonly<Record<string, number>>
  /** Memory of the largest worker, megabytes; null when the system does not provide it. */
  readonly peakMb: number | null
}

/** Runs a scan with a number of workers. Each scan has a new judge, so that no exchange was judged before. */
export async function measureWorkers(
  fleet: BenchFleet,
  count: number,
  { judgements, concurrency }: WorkerBenchOptions,
): Promise<WorkerFigures> {
  const started = Array.from({ length: count }, () => fleet.startWorker({ JUDGE_CONCURRENCY: String(concurrency) }))
  const workers = await Promise.all(started)
  const pids = {
    ...fleet.pids,
    ...Object.fromEntries(workers.map(({ pid }, index) => [`judging-worker ${index}`, pid])),
  }
  const before = cpuIsReadable ? cpuMsOf(pids) : {}
  const scan = await scanOnce(fleet, judgements)
  const after = cpuIsReadable ? cpuMsOf(pids) : {}
  const peakMb = cpuIsReadable ? Math.max(...workers.map(({ pid }) => peakResidentMb(pid))) : null
  await stopAll(workers)
  const spent = (name: string) => ((after[name] ?? 0) - (before[name] ?? 0)) / scan.judged
  return {
    workers: count,
    seconds: scan.seconds,
    judgements: scan.judged,
    cpuMs: together(Object.keys(after).map((name) => [name, spent(name)])),
    peakMb,
  }
}

async function scanOnce({ caller }: BenchFleet, judgements: number): Promise<{ judged: number; seconds: number }> {
  const criterion = await ask(caller, '/criteria', {
    name: `Bench ${performance.now()}`,
    judge_prompt: 'The answer contains a mistake.',
    judge_model: judgeModel,
  })
  const { id } = await ask(caller, `/criteria/${criterion.id}/scan`, { sample_count: judgements })
  const scan = await eventually(
    async () => {
      const now = await ask(caller, `/criteria/${criterion.id}/scans/${id}`)
      return ['PENDING', 'RUNNING'].includes(now.status) ? null : now
    },
    { withinMs: 900_000, everyMs: 250 },
  )
  if (scan.status !== 'DONE' || scan.judged !== judgements) {
    throw new Error(`the scan ended as ${scan.status} with ${scan.judged} judgements: ${scan.error}`)
  }
  return { judged: scan.judged, seconds: (Date.parse(scan.finished_at) - Date.parse(scan.created_at)) / 1_000 }
}

async function stopAll(workers: readonly Child[]): Promise<void> {
  await Promise.all(workers.map((worker) => worker.stop()))
}

/** Sums up the times of all workers. */
function together(times: readonly (readonly [string, number])[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [name, ms] of times) {
    const group = name.replace(/ \d+$/, '')
    sums[group] = (sums[group] ?? 0) + ms
  }
  return sums
}
