import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import type { Fleet } from '../fleet.ts'
import type { FleetProcess } from '../start-process.ts'
import { describeFault, type Fault } from './describe-fault.ts'
import type { Asked } from './fault-clients.ts'
import { percentile } from './load.ts'
import { type Load, startLoad } from './open-load.ts'

const requestsPerSecond = 200
const streamsAtOnce = 50

/**
 * Half of production's delay, and longer than the 4 s for which our own processes and clients keep an idle connection. So a
 * client closes an idle connection before the server does.
 */
const drainDelayMs = 5_000
const calmMs = 4_000

const fleet = {
  edges: 3,
  inferences: 2,
  balanced: { pollMs: 200, propagationMs: 1_000 },
  workspace: { balanceUsd: '1000.00' },
  env: { DRAIN_DELAY_MS: String(drainDelayMs) },
}

describeFault(
  {
    id: 'F31',
    title: 'every process is replaced under load',
    promise: 'no connection is refused or reset, every answer is 200, every stream is complete',
    fleet,
  },
  (fault) => {
    it('no client notices', async () => {
      const load = startLoad(fault, { requestsPerSecond, streamsAtOnce })
      await elapse(calmMs)
      const calm = load.answers.length
      const olds = await rollAll(fault.fleet)
      const exits = await Promise.all(olds.map(({ exited }) => exited))
      await load.stop()
      report(fault, load, calm)
      expect(load.answers.filter(isBroken).map(inWords)).toEqual([])
      expect(Object.values(fault.fleet.balancers).map(({ refused, reset }) => refused + reset)).toEqual([0, 0, 0])
      expect(exits).toEqual(olds.map(() => ({ code: 0, signal: null })))
    }, 150_000)

    it('without the delay clients notice: connections still arrive until the endpoints change', async () => {
      const { balancers, add } = fault.fleet
      const hasty = await add('edge', { DRAIN_DELAY_MS: '0' })
      await eventually(() => expect(balancers.edge.includes(hasty)).toBe(true))
      hasty.signal('SIGTERM')
      await eventually(async () => {
        await Promise.all(
          Array.from({ length: 10 }, () => fault.ask({ model: 'sim/echo', headers: { connection: 'close' } })),
        )
        expect(balancers.edge.refused).toBeGreaterThan(0)
      })
    }, 30_000)
  },
)

/** Like Deployments with `maxSurge: 1, maxUnavailable: 0`: a new process is ready before an old one is sent a stop signal. */
async function rollAll(fleet: Fleet): Promise<readonly FleetProcess[]> {
  const olds = fleet.processes.filter(({ name }) => isRolled(name))
  for (const old of olds) {
    await fleet.add(old.name)
    old.signal('SIGTERM')
  }
  return olds
}

function isRolled(name: string): boolean {
  return ['edge', 'inference', 'logging', 'logging-worker'].includes(name)
}

function isBroken({ status, whole }: Asked): boolean {
  return status !== 200 || !whole
}

function inWords({ tag, status, failure, text }: Asked): string {
  return `${tag}: ${status} ${failure ?? text.slice(-200)}`
}

function report(fault: Fault, { answers, streams }: Load, calm: number): void {
  fault.note('requests', answers.length - streams)
  fault.note('streams', streams)
  fault.note('p99 before, ms', Math.round(p99(answers.slice(0, calm))))
  fault.note('p99 during, ms', Math.round(p99(answers.slice(calm))))
}

function p99(answers: readonly Asked[]): number {
  const plain = answers.filter(({ headers }) => headers.get('content-type')?.startsWith('application/json') === true)
  return percentile(plain, 0.99)
}
