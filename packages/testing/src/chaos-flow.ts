import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { Faults, LiveFaults } from './live-faults.ts'

/** One direction of a proxied connection. */
export interface Flow {
  readonly from: Socket
  readonly to: Socket
  readonly faults: LiveFaults
  /** True for the target's answers. Only they count towards a cut. */
  readonly isAnswer: boolean
}

type Arrival = { readonly bytes: Buffer; readonly at: number } | 'end' | 'reset'

/** Bytes that are held back before the sender is slowed down, about as many as a network holds. */
const maxQueuedBytes = 65_536

/** Passes bytes on until one side ends, with the current faults. */
export async function carry(flow: Flow): Promise<void> {
  const { to, faults } = flow
  const budget = cutBudget(faults)
  for await (const arrival of arrivals(flow.from)) {
    if (typeof arrival === 'string') {
      await thawed(faults)
      return void (arrival === 'end' ? to.end() : to.resetAndDestroy())
    }
    await travelled(faults, arrival.at)
    for (let sent = 0; sent < arrival.bytes.length && !to.destroyed; ) {
      const piece = arrival.bytes.subarray(sent, sent + pieceBytes(faults.current))
      const left = flow.isAnswer ? budget() : Number.POSITIVE_INFINITY
      if (piece.length >= left) return cut(flow, piece.subarray(0, left))
      sent += piece.length
      budget(piece.length)
      await deliver(to, piece)
      await pace(faults, piece.length)
    }
    if (to.destroyed) return void flow.from.destroy()
  }
}

/** The arriving chunks with their time. Reading pauses while too much is waiting. */
async function* arrivals(from: Socket): AsyncGenerator<Arrival> {
  const queue: Arrival[] = []
  let queuedBytes = 0
  let wake = () => {}
  const add = (arrival: Arrival) => {
    queue.push(arrival)
    wake()
  }
  from.on('data', (bytes: Buffer) => {
    queuedBytes += bytes.length
    if (queuedBytes >= maxQueuedBytes) from.pause()
    add({ bytes, at: performance.now() })
  })
  from.once('end', () => add('end'))
  from.once('error', () => add('reset'))
  from.once('close', () => add('end'))
  for (;;) {
    const arrival = queue.shift()
    if (arrival === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      continue
    }
    yield arrival
    if (typeof arrival === 'string') return
    queuedBytes -= arrival.bytes.length
    if (queuedBytes < maxQueuedBytes) from.resume()
  }
}

/** Counts the answer bytes since the last time a cut was set. `budget()` returns how many may still pass. */
function cutBudget(faults: LiveFaults): (spent?: number) => number {
  let cut: Faults['cut'] = null
  let left = Number.POSITIVE_INFINITY
  return (spent = 0) => {
    if (faults.current.cut !== cut) {
      cut = faults.current.cut
      left = cut?.afterBytes ?? Number.POSITIVE_INFINITY
    }
    left -= spent
    return left
  }
}

async function cut({ from, to, faults }: Flow, last: Buffer): Promise<void> {
  const how = faults.current.cut?.how ?? 'end'
  await new Promise((resolve) => to.write(last, resolve))
  if (how === 'reset') to.resetAndDestroy()
  else to.destroySoon()
  from.destroy()
}

async function travelled(faults: LiveFaults, since: number): Promise<void> {
  for (;;) {
    await thawed(faults)
    const ms = since + faults.current.delayMs - performance.now()
    if (ms <= 0) return
    await faults.wait(ms)
  }
}

async function thawed(faults: LiveFaults): Promise<void> {
  while (faults.current.frozen) await faults.wait()
}

/** A throttled flow advances in steps of 50 ms. */
function pieceBytes({ sliceBytes, bytesPerSecond }: Faults): number {
  return Math.max(1, Math.min(sliceBytes, Math.ceil(bytesPerSecond / 20)))
}

async function deliver(to: Socket, piece: Buffer): Promise<void> {
  if (to.write(piece) || to.destroyed) return
  await Promise.race([once(to, 'drain'), once(to, 'close')]).catch(() => undefined)
}

async function pace(faults: LiveFaults, bytes: number): Promise<void> {
  const { sliceBytes, bytesPerSecond } = faults.current
  if (Number.isFinite(bytesPerSecond)) await faults.wait((bytes / bytesPerSecond) * 1_000)
  // Sends each slice in a packet of its own.
  else if (Number.isFinite(sliceBytes)) await setImmediate()
  await thawed(faults)
}
