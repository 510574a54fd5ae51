import { setImmediate as nextTurn } from 'node:timers/promises'
import { batchesBySize } from '../exchanges/batches-by-size.ts'
import type { UnsegmentedExchange } from '../exchanges/raw-exchange.ts'
import { redactBatch } from './redaction-task.ts'
import { type IdentifiedCapture, type Redacted, type Redactor, sizeOfCapture } from './redactor.ts'

/**
 * Bytes of request and answer up to which an exchange is redacted without the thread: that of a prompt of 64 KB. It takes
 * 24 ms at most, whatever it contains (linear-time.int.test.ts), and so few bytes cannot exhaust the memory.
 */
export const smallBytes = 98_304
/** Bytes that are redacted until the event loop goes on, which has nothing urgent to do in a worker. */
const turnBytes = 98_304

/**
 * Redacts small exchanges on the calling thread, because copying them to another thread and back costs more than
 * redacting them. The others go to the thread, and so do those that cannot be redacted here: only the thread decides that
 * one fails.
 */
export function redactSmallHere(thread: Redactor): Redactor {
  return {
    captures: (captures) => redactCaptures(captures, thread),
    exchanges: thread.exchanges,
    spans: thread.spans,
    examples: thread.examples,
  }
}

async function redactCaptures(
  captures: readonly IdentifiedCapture[],
  thread: Redactor,
): Promise<readonly Redacted<UnsegmentedExchange>[]> {
  const done = await redactHere(captures.filter((capture) => sizeOfCapture(capture) <= smallBytes))
  const others = captures.filter((capture) => !done.has(capture))
  const redacted = others.length === 0 ? [] : await thread.captures(others)
  for (const [index, capture] of others.entries()) done.set(capture, redacted[index] ?? notRedacted)
  return captures.map((capture) => done.get(capture) ?? notRedacted)
}

const notRedacted: Redacted<never> = { kind: 'failed', reason: 'not redacted' }

/** The exchanges that could be redacted. */
async function redactHere(captures: readonly IdentifiedCapture[]) {
  const done = new Map<IdentifiedCapture, Redacted<UnsegmentedExchange>>()
  const turns = [...batchesBySize(captures, { bytesOf: sizeOfCapture, maxBytes: turnBytes, maxItems: Infinity })]
  for (const [turn, items] of turns.entries()) {
    if (turn > 0) await nextTurn()
    const results = redactBatch({ job: 'captures', items, at: progress }) as Redacted<UnsegmentedExchange>[]
    for (const [index, capture] of items.entries()) {
      const result = results[index]
      if (result?.kind === 'done') done.set(capture, result)
    }
  }
  return done
}

/** Only another thread would read it. */
const progress = new Int32Array(1)
