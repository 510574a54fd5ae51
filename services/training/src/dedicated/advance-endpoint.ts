import { type BackoffDelays, backoff } from '@ratchet/service-kit/timing/backoff'
import type { JobMoney } from '../money/job-money.ts'
import type { DrivenEndpoint, EndpointDriver } from './endpoint.ts'
import type { EndpointStep } from './endpoint-step.ts'
import { nextEndpointStep } from './next-endpoint.ts'
import { windowHold } from './window-hold.ts'

export interface AdvanceEndpointDeps {
  readonly driver: EndpointDriver
  readonly money: Pick<JobMoney, 'hold' | 'settle' | 'release'>
  readonly newId: () => string
  readonly onEvent: (event: EndpointTurn) => void
}

export type EndpointTurn =
  | { readonly kind: 'step'; readonly endpointId: string; readonly step: EndpointStep['kind'] }
  | { readonly kind: 'failed'; readonly endpointId: string; readonly error: unknown }

/** Steps in one turn: more than an endpoint has between two things that it waits for. */
const maxSteps = 200
const retryDelays: BackoffDelays = { firstMs: 1_000, maxMs: 60_000 }

/** Takes an endpoint as far as it goes now. Whatever fails is tried again later, by any worker. */
export async function advanceEndpoint(deps: AdvanceEndpointDeps, leased: DrivenEndpoint): Promise<void> {
  const { driver, onEvent } = deps
  const refused = new Set<string>()
  let endpoint: DrivenEndpoint | null = leased
  try {
    for (let steps = 0; endpoint !== null && steps < maxSteps; steps += 1) {
      const step = nextEndpointStep(endpoint, { ...(await driver.world(endpoint)), refused })
      if (step.kind === 'wait') return await driver.release(endpoint, { delayMs: step.ms, failures: 0 })
      onEvent({ kind: 'step', endpointId: endpoint.id, step: step.kind })
      const isRefused = await takeStep(deps, endpoint, step)
      if (isRefused && step.kind === 'hold') refused.add(`${step.replicaId} ${step.number}`)
      endpoint = await driver.read(endpoint)
    }
    if (endpoint !== null) await driver.release(endpoint, { delayMs: 0, failures: 0 })
  } catch (error) {
    onEvent({ kind: 'failed', endpointId: leased.id, error })
    const delayMs = backoff(leased.attempts - 1, retryDelays)
    await driver.release(leased, { delayMs, failures: leased.attempts })
  }
}

/** Each step has the same effect when it is taken twice. Resolves with true for a hold that the wallet refuses. */
async function takeStep(
  deps: AdvanceEndpointDeps,
  endpoint: DrivenEndpoint,
  step: Exclude<EndpointStep, { kind: 'wait' }>,
): Promise<boolean> {
  const { driver, money, newId } = deps
  switch (step.kind) {
    case 'hold':
      // The row first: a hold that nobody knows would be kept for a day.
      await driver.ask(endpoint, step)
      if (!(await money.hold(windowHold(endpoint, step), step.amountNano))) return true
      await driver.hold(endpoint, step)
      break
    case 'post':
      await post(deps, endpoint, step)
      break
    case 'add':
      await driver.add(endpoint, newId())
      break
    case 'forget':
      await driver.forget(endpoint, step.replicaId)
      break
    case 'drain':
      await driver.drain(endpoint, step)
      break
    case 'end':
      await driver.end(endpoint, step)
      break
    case 'scale':
      await driver.scale(endpoint, step.scale)
      break
    case 'stop':
      await driver.stop(endpoint, step.reason)
      break
    case 'enter':
      await driver.enter(endpoint, step)
      break
    default:
      await driver.applied(endpoint)
  }
  return false
}

/**
 * The cost of a window is written down before it is charged, so a repetition charges the same, which is nothing. A window whose hold was
 * not taken is paid now if the wallet covers it, else by nobody.
 */
async function post(
  { driver, money }: AdvanceEndpointDeps,
  endpoint: DrivenEndpoint,
  window: { readonly replicaId: string; readonly number: number },
): Promise<void> {
  const due = await driver.due(endpoint, window)
  if (due === null) return
  const hold = windowHold(endpoint, window)
  const isPaid = due.isTaken || (due.costNano > 0n && (await money.hold(hold, due.heldNano)))
  if (isPaid && !due.isTaken) await driver.confirmHold(endpoint, window)
  if (isPaid) await money.settle(hold, due.costNano, 0n)
  // Also one that was never taken: then it cannot be taken any more.
  else await money.release(hold)
  await driver.post(endpoint, { ...window, isPaid })
}
