import type { RequestHandler, Response } from 'express'
import type { Drain } from '../process/drain.ts'

/** A condition; rejects when it does not hold. */
export type Check = () => Promise<unknown>

export type Checks = Readonly<Record<string, Check>>

export interface HealthOptions {
  readonly drain: Drain
  /** Dependencies that must answer before this process takes traffic. */
  readonly checks: Checks
  /** Conditions that must hold once, before this process does anything, such as the database schema. */
  readonly startChecks?: Checks
  /** Conditions that a restart would repair. They check this process alone, or a lost database would restart the fleet. */
  readonly lifeChecks?: Checks
  /** Named by `/readyz`; absent where processes need not be told apart. */
  readonly instanceId?: string | undefined
  readonly now: () => Date
}

/** Milliseconds for which a check's result is reused, and timeout of a check. */
const reuseMs = 500
const timeoutMs = 1_000

/** `GET /healthz`: the process is up. It never calls a dependency, or a lost database would restart the fleet. */
export const answerHealthz: RequestHandler = (_request, response) => {
  response.json({ status: 'ok' })
}

/**
 * `GET /livez`: 200 unless a restart would help. An answer also proves that the event loop runs: without one, the probe
 * times out.
 */
export function answerLivez({ lifeChecks = {} }: Pick<HealthOptions, 'lifeChecks'>): RequestHandler {
  return async (_request, response) => {
    const failing = await failingChecks(lifeChecks)
    if (failing.length > 0) return void answerNotReady(response, { status: 'stuck', failing })
    response.json({ status: 'alive' })
  }
}

/** `GET /startupz`: 200 once every start check and readiness check has passed; they are not repeated after that. */
export function answerStartupz({ startChecks = {}, checks }: HealthOptions): RequestHandler {
  let started = false
  return async (_request, response) => {
    const failing = started ? [] : await failingChecks({ ...startChecks, ...checks })
    if (failing.length > 0) return void answerNotReady(response, { status: 'not started', failing })
    started = true
    response.json({ status: 'started' })
  }
}

/** `GET /readyz`: 200 when not draining and every check passed within the last half second. */
export function answerReadyz({ drain, checks, now, instanceId }: HealthOptions): RequestHandler {
  let last: { at: number; failing: Promise<string[]> } | undefined
  return async (_request, response) => {
    if (drain.draining) return void answerNotReady(response, { status: 'draining' })
    const at = now().getTime()
    if (last === undefined || at - last.at > reuseMs) last = { at, failing: failingChecks(checks) }
    const failing = await last.failing
    if (failing.length > 0) return void answerNotReady(response, { status: 'not ready', failing })
    response.json({ status: 'ready', ...(instanceId === undefined ? {} : { instance: instanceId }) })
  }
}

function answerNotReady(response: Response, body: object): void {
  response.status(503).set('retry-after', '1').json(body)
}

async function failingChecks(checks: Checks): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ((await passes(check)) ? null : name)),
  )
  return results.filter((name) => name !== null)
}

async function passes(check: Check): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs)
  })
  try {
    return await Promise.race([check().then(() => true), late])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
