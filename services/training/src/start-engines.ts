import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommaList } from '@ratchet/service-kit/process/comma-list'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { z } from 'zod'
import { HardwareList } from './dedicated/hardware.ts'
import { createAdapterFolders } from './engines/adapter-folders.ts'
import { createEngineClient } from './engines/engine-client.ts'
import type { Engines } from './engines/engines.ts'
import { createAdapterUploads } from './engines/kubernetes/adapter-uploads.ts'
import { connectEngineCluster } from './engines/kubernetes/engine-cluster.ts'
import { EngineProfile } from './engines/kubernetes/engine-profile.ts'
import { createKubernetesEngines } from './engines/kubernetes/kubernetes-engines.ts'
import { createListedEngines, EngineList } from './engines/listed/listed-engines.ts'
import { createProcessEngines } from './engines/process/process-engines.ts'
import { createSimEngines } from './engines/sim/sim-engines.ts'
import { kubernetesConfig } from './start-kubernetes.ts'

/** Settings of the API and the worker: the machines that engines run on. */
export const hardwareConfig = {
  /** Kinds of machines for dedicated endpoints, as JSON: `[{"id": "cpu-1x", "price_usd_per_hour": "0.40", "slots": 2}]`. */
  DEDICATED_HARDWARE: HardwareList.default([]),
}

/** Settings of the worker: what serves models. */
export const engineConfig = {
  /**
   * `sim`: the simulated provider answers. `process`: a program on the worker's machine. `kubernetes`: pods of a cluster.
   * `listed`: engines that run already. `none`: nothing is served here.
   */
  ENGINES: z.enum(['none', 'sim', 'process', 'kubernetes', 'listed']).default('none'),
  /** The engines of `listed`, as JSON: `[{"address": "http://vllm:8000", "base_model": "qwen/small", "hardware": "gpu-1x"}]`. */
  ENGINE_LIST: EngineList.optional(),
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
  /** Folder of engine profiles for `kubernetes`, one JSON file each, in the order of their names. */
  ENGINE_PROFILES: z.string().min(1).default('/etc/ratchet/engine-profiles'),
  /** Where pods of engines are started. */
  ENGINE_NAMESPACE: z.string().min(1).default('ratchet-engines'),
}
const EngineConfig = z.object({ ...engineConfig, ...kubernetesConfig })
type EngineConfig = z.output<typeof EngineConfig>

/** Time in which an engine may end its requests, milliseconds. */
const graceMs = 10_000

/**
 * The engines of this worker; null when it has none. Those of its machine end with it.
 *
 * @throws Error when a setting is missing or wrong
 */
export async function startEngines(
  config: EngineConfig,
  { now, onStop }: { readonly now: () => Date; readonly onStop: OnStop },
): Promise<Engines | null> {
  if (config.ENGINES === 'none') return null
  if (config.ENGINES === 'kubernetes') return await kubernetesOf(config, now)
  if (config.ENGINES === 'listed') return listedOf(config)
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

function listedOf({ ENGINE_LIST: listed, ENGINE_ADAPTERS_DIR: root }: EngineConfig): Engines {
  if (listed === undefined) throw new Error('ENGINE_LIST is missing, but ENGINES is `listed`')
  const clientOf = (address: string) => createEngineClient({ address })
  return createListedEngines({ listed, folders: createAdapterFolders(root), clientOf })
}

async function kubernetesOf(config: EngineConfig, now: () => Date): Promise<Engines> {
  const scope = { namespace: config.ENGINE_NAMESPACE, owner: config.KUBERNETES_OWNER }
  const profiles = readEngineProfiles(config.ENGINE_PROFILES)
  const path = config.KUBERNETES_CONFIG
  const cluster = await connectEngineCluster(path === undefined ? { kind: 'pod' } : { kind: 'file', path }, scope)
  return createKubernetesEngines({ cluster, profiles, uploads: createAdapterUploads(), now, ...scope })
}

/** @throws Error naming the file that is wrong */
function readEngineProfiles(folder: string): readonly EngineProfile[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  if (files.length === 0) throw new Error(`${folder} has no engine profile, but ENGINES is \`kubernetes\``)
  return files.sort().map((name) => {
    try {
      return EngineProfile.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))
    } catch (error) {
      throw new Error(`the engine profile ${name} is wrong: ${String(error)}`, { cause: error })
    }
  })
}
