import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { repositoryRoot } from '@ratchet/infra/fleet/data-paths'

const engine = path.join(repositoryRoot, 'test-e2e/pool/scripted-engine.ts')

/** The base of all versions that are trained in tests of serving. */
export const servedBase = 'sim/small'
export const dedicatedPrice = 3.6

export type EngineFault = 'base' | 'old' | 'silent'

/** A folder in which engines are numbered as they start, and find what is wrong with them. */
export interface EngineFaults {
  readonly folder: string
  /** Decides it for engines that start from now on, which are numbered from 1 again. */
  set(faults: Readonly<Record<number, EngineFault>> | { readonly all: EngineFault }): Promise<void>
}

export async function engineFaults(onStop: (step: () => Promise<unknown>) => void): Promise<EngineFaults> {
  const folder = await mkdtemp(path.join(tmpdir(), 'engine-faults-'))
  onStop(() => rm(folder, { recursive: true, force: true }))
  const set: EngineFaults['set'] = async (faults) => {
    for (const name of await readdir(folder)) await rm(path.join(folder, name))
    await writeFile(path.join(folder, 'faults.json'), JSON.stringify(faults))
  }
  await set({})
  return { folder, set }
}

/** Settings of a fleet whose engines are processes that a test can kill, for the pool and for endpoints. */
export function scriptedServing(pooled: number, environment: Readonly<Record<string, string>> = {}) {
  const hardware = [{ id: 'cpu-1x', price_usd_per_hour: String(dedicatedPrice), slots: 8 }]
  return {
    SIM_JOB_MS: '100',
    ABUSE_GUARD_LIMIT: '100000',
    ENGINES: 'process',
    ENGINE_COMMAND: `${process.execPath},${engine}`,
    ENGINE_ENVIRONMENT: Object.entries(environment)
      .map(([name, value]) => `${name}=${value}`)
      .join(','),
    POOL_MODELS: `${servedBase}=${pooled}`,
    POOL_COPIES: String(pooled),
    DEDICATED_HARDWARE: JSON.stringify(hardware),
  }
}
