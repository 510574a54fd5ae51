import { CommaList } from '@ratchet/service-kit/process/comma-list'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { z } from 'zod'
import { HardwareList } from './dedicated/hardware.ts'
import { createAdapterFolders } from './engines/adapter-folders.ts'
import type { Engines } from './engines/engines.ts'
import { createProcessEngines } from './engines/process/process-engines.ts'
import { createSimEngines } from './engines/sim/sim-engines.ts'

/** Settings of the API and the worker: the machines that engines run on. */
export const hardwareConfig = {
  /** Kinds of machines for dedicated endpoints, as JSON: `[{"id": "cpu-1x", "price_usd_per_hour": "0.40", "slots": 2}]`. */
  DEDICATED_HARDWARE: HardwareList.default([]),
}

/** Settings of the worker: what serves models. */
export const engineConfig = {
  /** `sim`: the simulated provider answers. `process`: a program on the worker's machine. `none`: nothing is served here. */
  ENGINES: z.enum(['none', 'sim', 'process']).default('none'),
  /** Address of the simulated provider, for `sim`. */
  SIMULATED_PROVIDER_URL: z.url().optional(),
  /** Time that a simulated engine takes to start, milliseconds. */
  SIM_ENGINE_START_MS: z.coerce.number().int().min(0).max(3_600_000).default(1_000),
  /** The program of `process` and its arguments, separated by commas, such as `/opt/trainers/bin/python,-m,ratchet_trainers.serving`. */
  ENGINE_COMMAND: CommaList,
  /** All variables of the program; it does not see those of the worker. */
  ENGINE_ENVIRONMENT: CommaList.transform((pairs) =>
    Object.fromEntries(pairs.map((pair) => [pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1)])),
  ),
  /** Where the worker puts adapters for its engines. */
  ENGINE_ADAPTERS_DIR: z.string().min(1).default('.data/engines'),
}
const EngineConfig = z.object(engineConfig)
export type EngineConfig = z.output<typeof EngineConfig>

/** Time in which an engine may end its requests, milliseconds. */
const graceMs = 10_000

/** The engines of this worker; null when it has none. They end with it. */
export function startEngines(
  config: EngineConfig,
  { now, onStop }: { readonly now: () => Date; readonly onStop: OnStop },
): Engines | null {
  if (config.ENGINES === 'none') return null
  const engines = createEngines(config, now)
  onStop(() => engines.close())
  return engines
}

function createEngines(config: EngineConfig, now: () => Date): Engines & { close(): Promise<void> } {
  const folders = createAdapterFolders(config.ENGINE_ADAPTERS_DIR)
  if (config.ENGINES === 'sim') {
    const providerUrl = config.SIMULATED_PROVIDER_URL
    if (providerUrl === undefined) throw new Error('SIMULATED_PROVIDER_URL is missing, but ENGINES is `sim`')
    return createSimEngines({ providerUrl, folders, startMs: config.SIM_ENGINE_START_MS, now })
  }
  const [program, ...parameters] = config.ENGINE_COMMAND
  if (program === undefined) throw new Error('ENGINE_COMMAND is missing, but ENGINES is `process`')
  const command = [program, ...parameters] as const
  return createProcessEngines({ command, environment: config.ENGINE_ENVIRONMENT, folders, errors: 'ignore', graceMs })
}
