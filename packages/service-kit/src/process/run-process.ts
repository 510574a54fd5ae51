import type { Logger } from 'pino'

export type Stop = () => Promise<unknown> | unknown
export type OnStop = (stop: Stop) => void

/** Passed to the start function of a process. */
export interface Lifecycle {
  /** Registers a cleanup, right after acquiring what it releases. Cleanups run in reverse order. */
  readonly onStop: OnStop
  /** Aborted by a second signal: save what must not be lost, and wait for nothing else. */
  readonly hurry: AbortSignal
}

/**
 * Runs one process until SIGTERM or SIGINT, then runs the `onStop` functions in reverse order. The process exits when its
 * event loop is empty, so that traces are flushed; `graceMs` after the signal it exits with 1 in any case.
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
    await start({ onStop: (stop) => stops.push(stop), hurry: hurry.signal })
    logger.info('ready')
    logger.info({ signal: await stopped }, 'stopping')
  } catch (error) {
    logger.fatal({ err: error }, 'failed')
    process.exitCode = 1
  }
  setTimeout(() => process.exit(process.exitCode ?? 1), graceMs).unref()
  await runStops(stops, logger)
  logger.info('stopped')
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
