/* A process of its own, so that no other work delays a request. It reads a job from argv and writes the result to stdout, both as JSON. */
import { Worker } from 'node:worker_threads'
import { seededRandom } from '@ratchet/testing/seeded-random'
import type { LaneResult, LoadRequest, OpenLoopJob } from './load-job.ts'
import { poissonSchedule } from './poisson-schedule.ts'
import { createSender, type Send } from './send.ts'

const connections = 256
/** Milliseconds before the window starts, enough to open the connections. */
const openingRequests = 16

const job = JSON.parse(process.argv[2] ?? '') as OpenLoopJob
process.stdout.write(JSON.stringify(await runOpenLoop(job)), () => process.exit())

interface Arrival {
  readonly lane: number
  readonly dueMs: number
}

async function runOpenLoop({ lanes, ratePerSecond, seconds, seed }: OpenLoopJob): Promise<LaneResult[]> {
  const random = seededRandom(seed)
  const senders = await Promise.all(lanes.map(openSender))
  const arrivals = lanes
    .flatMap((_, lane) =>
      poissonSchedule({ ratePerSecond, seconds }, random).map((dueMs): Arrival => ({ lane, dueMs })),
    )
    .sort((a, b) => a.dueMs - b.dueMs)
  const results = lanes.map(() => ({ failures: 0, latencyMs: [] as number[], firstByteMs: [] as number[] }))
  await sendOnTime(arrivals, ({ lane }, dueAt, done) => {
    senders[lane]?.(({ ok, firstByteAt, endedAt }) => {
      const result = results[lane]
      if (!ok && result !== undefined) result.failures += 1
      result?.latencyMs.push(endedAt - dueAt)
      result?.firstByteMs.push(firstByteAt - dueAt)
      done()
    })
  })
  return results
}

async function openSender(request: LoadRequest): Promise<Send> {
  const send = createSender(request, connections)
  await Promise.all(Array.from({ length: openingRequests }, () => new Promise<unknown>((resolve) => send(resolve))))
  return send
}

/** A thread sleeps with a resolution of microseconds. Node's timers have milliseconds, as large as the measured times. */
function sendOnTime(
  arrivals: readonly Arrival[],
  send: (arrival: Arrival, dueAt: number, done: () => void) => void,
): Promise<void> {
  const startAt = performance.now() + 100
  const startTime = performance.timeOrigin + startAt
  const workerData = { startTime, dueMs: arrivals.map(({ dueMs }) => dueMs) }
  const alarm = new Worker(new URL('./alarm-thread.ts', import.meta.url), { workerData })
  return new Promise((resolve) => {
    let open = arrivals.length
    const done = () => {
      open -= 1
      if (open === 0) resolve()
    }
    alarm.on('message', (index: number) => {
      const arrival = arrivals[index]
      if (arrival !== undefined) send(arrival, startAt + arrival.dueMs, done)
    })
  })
}
