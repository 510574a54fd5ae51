import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isDatabaseUnavailable } from '../http/database-unavailable.ts'

export type Stop = () => Promise<unknown> | unknown
export type OnStop = (stop: Stop) => void

/** Passed to the start function of a process. */
export interface Lifecycle {
  /** Registers a cleanup, right after acquiring what it releases. Cleanups run in reverse order. */
  readonly onStop: OnStop
  /** Aborted by a second signal: save what must not be lost, and wait for nothing else. */
  readonly hurry: AbortSignal
}

/** Pauses before a start is tried again because the database cannot answer yet, in milliseconds; about 30 seconds in all. */
const startPausesMs = [500, 1_000, 2_000, 4_000, 8_000, 15_000]

/**
 * Runs one process until SIGTERM or SIGINT, then runs the `onStop` functions in reverse order. The process exits when its
 * event loop is empty, so that traces are flushed; `graceMs` after the signal it exits with 1 in any case.
 *
 * A start that fails because the database cannot answer is undone and tried again, because a whole fleet often starts
 * together with its database, or all at once after an outage.
 *
 * @param graceMs longer than the whole drain, > 0
 */
export async function runProcess(
  logger: Logger,
  start: (lifecycle: Lifecycle) => Promise<unknown>,
  { graceMs = 650_000 }: { graceMs?: number } = {},
): Promise<void> {
  const stops: Stop[] = []
  const hurry = new AbortController()
  const stopped = onceSignalled(hurry)
  try {
    const lifecycle = { onStop: (stop: Stop) => void stops.push(stop), hurry: hurry.signal }
    if (await startWithDatabase(() => start(lifecycle), { stops, stopped, logger })) logger.info('ready')
    logger.info({ signal: await stopped }, 'stopping')
  } catch (error) {
    logger.fatal({ err: error }, 'failed')
    process.exitCode = 1
  }
  setTimeout(() => process.exit(process.exitCode ?? 1), graceMs).unref()
  await runStops(stops, logger)
  logger.info('stopped')
}

/** Whether it started; not when a signal ended it between two tries. */
async function startWithDatabase(
  start: () => Promise<unknown>,
  { stops, stopped, logger }: { stops: Stop[]; stopped: Promise<unknown>; logger: Logger },
): Promise<boolean> {
  for (const pauseMs of startPausesMs) {
    try {
      await start()
      return true
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error
      logger.warn({ err: error, pauseMs }, 'the database cannot answer yet')
      await runStops(stops, logger)
      if (await endsWithin(pauseMs, stopped)) return false
    }
  }
  await start()
  return true
}

async function endsWithin(pauseMs: number, stopped: Promise<unknown>): Promise<boolean> {
  const pause = new AbortController()
  const over = sleep(pauseMs, false, { signal: pause.signal }).catch(() => true)
  const isEnding = await Promise.race([stopped.then(() => true), over])
  pause.abort()
  return isEnding
}

/** Runs the cleanups in reverse order. A failure is logged, and the others still run. */
export async function runStops(stops: Stop[], logger: Pick<Logger, 'error'>): Promise<void> {
  for (const stop of stops.splice(0).reverse()) {
    try {
      await stop()
    } catch (error) {
      logger.error({ err: error }, 'stop failed')
    }
  }
}

function onceSignalled(hurry: AbortController): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let signals = 0
    const heard = (signal: NodeJS.Signals) => {
      signals += 1
      if (signals > 1) hurry.abort()
      resolve(signal)
    }
    process.on('SIGTERM', heard)
    process.on('SIGINT', heard)
  })
}
