import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import type { FleetProcess } from '../start-process.ts'
import { choose } from '../workspace-with.ts'
import { describeFault, type Fault } from './describe-fault.ts'

/** Half an hour finds slow leaks; a minute finds what leaks with every request. */
const soakSeconds = Number(process.env.FAULT_SOAK_SECONDS ?? 60)

const clients = 12
const shareOfAborts = 0.3
/** The load pauses after each stage, so that no memory is in use for running requests. The first stages warm up. */
const stages = 8
const warmUpStages = 3
/** Growth of memory that is allowed for caches that are not full, and code that is not compiled, after the warm-up. */
const maxGrowthMb = 4
const mb = 1_048_576

describeFault(
  {
    id: 'F34',
    title: 'requests for a long time; clients disconnect from 30 % of them',
    promise: `after the warm-up no process grows by more than ${maxGrowthMb} MB`,
    fleet: {
      workspace: { balanceUsd: '1000.00' },
      env: {
        NODE_OPTIONS: `--expose-gc --import=${new URL('./heap-on-signal.ts', import.meta.url).pathname}`,
        // The test's collector of spans stores everything that it receives.
        OTEL_TRACES_SAMPLER_ARG: '0.01',
      },
    },
  },
  (fault) => {
    it(
      'does not grow',
      async () => {
        const { fleet } = fault
        await choose(fleet, fleet.workspace, { loggingEnabled: true })
        const processes = [fleet.edges[0], fleet.inference, fleet.logging, fleet.loggingWorker].filter(
          (each) => each !== undefined,
        )
        const held = new Map(processes.map(({ name }) => [name, [] as number[]]))
        let [asked, left] = [0, 0]
        for (let stage = 0; stage < stages; stage++) {
          const load = await soak(fault, (soakSeconds * 1_000) / stages)
          asked += load.asked
          left += load.left
          for (const process of processes) held.get(process.name)?.push(await heldBy(process))
        }
        fault.note('requests', asked)
        fault.note('of them left', left)
        for (const [name, seen] of held) {
          fault.note(`${name}, MB held after each stage`, seen.map((bytes) => (bytes / mb).toFixed(1)).join(' '))
        }
        expect(left / asked).toBeGreaterThan(0.2)
        for (const [name, seen] of held) expect([name, growthMb(seen) <= maxGrowthMb]).toEqual([name, true])
      },
      soakSeconds * 1_000 + 120_000,
    )
  },
)

/** Several clients send requests for some time; some disconnect during a stream or before it. */
async function soak({ ask, random }: Fault, ms: number): Promise<{ readonly asked: number; readonly left: number }> {
  const until = performance.now() + ms
  let [asked, left] = [0, 0]
  const client = async () => {
    while (performance.now() < until) {
      const leaves = random() < shareOfAborts
      const stream = leaves || random() < 0.5
      const model = stream ? 'sim/pace-10' : 'sim/echo'
      const signal = leaves ? AbortSignal.timeout(Math.floor(350 * random())) : undefined
      const { whole } = await ask({
        model,
        stream,
        body: stream ? { max_tokens: 40 } : {},
        ...(signal === undefined ? {} : { signal }),
      })
      asked += 1
      if (!whole) left += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  // Aborted requests are settled, and answered ones are logged.
  await elapse(1_000)
  return { asked, left }
}

/** Bytes on and off the heap of a process after garbage collection. */
async function heldBy({ log, signal }: FleetProcess): Promise<number> {
  const before = log.length
  signal('SIGUSR2')
  return eventually(() => {
    const line = log.slice(before).find((each) => each.includes('"event":"heap"'))
    return line === undefined ? null : JSON.parse(line).held
  })
}

function growthMb(seen: readonly number[]): number {
  const warm = seen.slice(warmUpStages)
  const half = Math.ceil(warm.length / 2)
  return (Math.min(...warm.slice(half)) - Math.min(...warm.slice(0, half))) / mb
}
