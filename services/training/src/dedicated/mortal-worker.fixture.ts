import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { createEngineClient } from '../engines/engine-client.ts'
import type { JobMoney } from '../money/job-money.ts'
import { advanceEndpoint } from './advance-endpoint.ts'
import { createPgEndpointDriver } from './pg-driver.ts'
import { createPgReplicas } from './pg-replicas.ts'
import { reconcileEngines } from './reconcile-engines.ts'
import { type ScriptedEngines, scriptedEngines } from './scripted-engines.fixture.ts'

export interface MortalWorkerOptions {
  readonly databaseUrl: string
  readonly money: Pick<JobMoney, 'hold' | 'settle' | 'release'>
  /** Machines of the hardware that it has. */
  readonly slots: ReadonlyMap<string, number>
  /** Uniform in [0, 1). */
  readonly random: () => number
}

/** A worker of dedicated endpoints with engines of its own, which can be killed between any two of its calls. */
export interface MortalWorker {
  readonly engines: ScriptedEngines
  /** Compares its engines with replicas. */
  reconcile(): Promise<void>
  /** Advances the endpoints that no other worker has leased. */
  drive(): Promise<void>
  /** Ends it with a later call of the database or the ledger, before or after that has its effect. Its engines end with it. */
  killAfter(calls: number): void
  isDead(): boolean
  close(): Promise<void>
}

class Killed extends Error {}

export function mortalWorker({ databaseUrl, money, slots, random }: MortalWorkerOptions): MortalWorker {
  const engines = scriptedEngines()
  const clients = new Map<string, ReturnType<typeof createEngineClient>>()
  let [callsLeft, isDead] = [Number.POSITIVE_INFINITY, false]

  /** What a killed process had sent has its effect; its answer reaches nobody. */
  async function mortal<T>(call: () => Promise<T>): Promise<T> {
    if (isDead) throw new Killed()
    callsLeft -= 1
    if (callsLeft < 0) {
      isDead = true
      if (random() < 0.5) await call()
      throw new Killed()
    }
    const answer = await call()
    if (isDead) throw new Killed()
    return answer
  }

  const connected = connectPool({ databaseUrl, role: 'ratchet_training', max: 4 })
  const pool = new Proxy(connected, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name !== 'query' && name !== 'connect') return value
      return (...args: unknown[]) => mortal(() => value.apply(target, args))
    },
  }) satisfies Pool
  const driver = createPgEndpointDriver(pool)
  const replicas = createPgReplicas(pool)
  const host = randomUUID()
  const mortalMoney: MortalWorkerOptions['money'] = {
    hold: (...args) => mortal(() => money.hold(...args)),
    settle: (...args) => mortal(() => money.settle(...args)),
    release: (...args) => mortal(() => money.release(...args)),
  }
  const onEvent = ({ kind, error }: { readonly kind: string; readonly error?: unknown }) => {
    if (kind === 'failed' && !(error instanceof Killed) && !isDead) throw error
  }
  return {
    engines,
    async reconcile() {
      await reconcileEngines({
        engines,
        replicas,
        host,
        slots,
        clientOf(address) {
          const client = clients.get(address) ?? createEngineClient({ address })
          clients.set(address, client)
          return client
        },
        sourceOf: async () => 'weights',
        prove: async () => 'same',
        readCache: async () => null,
        onEvent,
      }).catch(unlessKilled)
    },
    async drive() {
      const share = { limit: 100, inProgress: [], maxOfWorkspace: 100 }
      const taken = await driver.take(share, 30_000).catch(unlessKilled)
      const deps = { driver, money: mortalMoney, newId: randomUUID, onEvent }
      await Promise.all((taken ?? []).map((endpoint) => advanceEndpoint(deps, endpoint).catch(unlessKilled)))
    },
    killAfter(calls) {
      callsLeft = calls
    },
    isDead: () => isDead,
    async close() {
      await engines.close()
      await Promise.all([...clients.values()].map((client) => client.close()))
      await connected.end()
    },
  }
}

function unlessKilled(error: unknown): null {
  if (error instanceof Killed) return null
  throw error
}
