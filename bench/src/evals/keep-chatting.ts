import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../measure/percentile.ts'
import { ask, type Caller } from './caller.ts'

/** Milliseconds from the scheduled time of each request to the end of its answer. */
export interface ChatFigures {
  readonly requests: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** Sends chats at a steady rate while `work` runs, independent of answers to earlier requests. */
export async function keepChatting<T>(
  caller: Caller,
  perSecond: number,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly chat: ChatFigures }> {
  let isOver = false
  const working = settled(work()).finally(() => {
    isOver = true
  })
  const sent: Promise<PromiseSettledResult<number>>[] = []
  for (let dueAt = performance.now(); !isOver; dueAt += 1_000 / perSecond) {
    await sleep(Math.max(0, dueAt - performance.now()))
    sent.push(settled(timeChat(caller, dueAt)))
  }
  const result = unwrapped(await working)
  const times = (await Promise.all(sent)).map(unwrapped)
  const [p50, p95, p99] = [percentile(times, 0.5), percentile(times, 0.95), percentile(times, 0.99)]
  return { result, chat: { requests: times.length, p50, p95, p99 } }
}

async function timeChat(caller: Caller, dueAt: number): Promise<number> {
  const messages = [{ role: 'user', content: 'How are you?' }]
  await ask(caller, '/chat/completions', { model: 'sim/echo', messages })
  return performance.now() - dueAt
}

/** Collects a failure instead of throwing it, because the promise is awaited later. */
async function settled<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([promise])
  return result
}

function unwrapped<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason
  return result.value
}
