import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { Faults, LiveFaults } from './live-faults.ts'

/** One direction of a proxied connection. */
export interface Flow {
  readonly from: Socket
  readonly to: Socket
  readonly faults: LiveFaults
  /** True for the target's answers: only they count towards a cut. */
  readonly isAnswer: boolean
}

type Arrival = { readonly bytes: Buffer; readonly at: number } | 'end' | 'reset'

/** Bytes held back before the sender feels it, about what a network holds. */
const maxQueuedBytes = 65_536

/** Carries bytes until one side ends, doing to them whatever the faults of the moment say. */
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

/** What arrives, with the time it did; reading stops while too much is waiting. */
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

/** Counts answer bytes down from the last time a cut was set; `budget()` says how many may still pass. */
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

/** A throttled flow moves in steps of a twentieth of a second. */
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
  // Gives each slice its own packet.
  else if (Number.isFinite(sliceBytes)) await setImmediate()
  await thawed(faults)
}
