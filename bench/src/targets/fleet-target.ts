import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { connectPool } from '@ratchet/db/connect-pool'
import { bundleServices } from '@ratchet/infra/bundle/bundle-services'
import { dataPaths, repositoryRoot } from '@ratchet/infra/fleet/data-paths'
import { type FleetInfo, readFleetFile } from '@ratchet/infra/fleet/fleet-file'
import { smallMemory } from '@ratchet/infra/fleet/memory-settings'
import type { ChildSpec } from '@ratchet/infra/processes/child'
import { createDemoWorkspace } from '@ratchet/testing/demo-workspace'
import { cannedModel } from '../load/chat-body.ts'
import { describeLedgerAndLog } from './fleet-work.ts'
import type { ProcessGroup } from './process-group.ts'
import { chatPath, type Target } from './target.ts'
import { untilLogged } from './until-logged.ts'

export interface FleetOptions {
  /** URL of the upstream's chat completions. */
  readonly upstreamUrl: string
  /** Folder for the data of the product. It must be on a real disk, because each commit waits for it. */
  readonly folder: string
  /** Folder in which the services write CPU profiles when they end. */
  readonly profile?: string
}

/** Enough credit for all requests of any run. */
const balanceUsd = '1000000.00'

/**
 * The product as `npm start` runs it, by the same command: supervisor, Postgres, Redis and all services, with their
 * default settings. Only the provider is the scripted upstream. The measured workspace has logging and credit, and no
 * limits.
 */
export async function startFleetTarget(group: ProcessGroup, options: FleetOptions): Promise<Target> {
  // Else the supervisor would make the bundle, and its memory would depend on whether the source changed before this run.
  await bundleServices()
  const data = dataPaths(path.join(options.folder, 'fleet'))
  const spec = startCommand({
    ...options,
    dataFolder: data.folder,
    isReady: () => readFleetFile(data.fleetFile) !== null,
  })
  await group.startTarget(spec, { quiet: true })
  const info = readFleetFile(data.fleetFile)
  if (info === null) throw new Error('the fleet file disappeared')
  const { workspaceId, apiKey } = await createMeasuredWorkspace(info)
  return {
    id: 'fleet',
    title: 'Ratchet',
    url: `${info.base_url}${chatPath}`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    processes: info.pids,
    gateway: 'ours',
    drained: () => untilLogged(info.redis_url),
    describeWork: () => describeLedgerAndLog(info.database_url, workspaceId),
  }
}

/** The script that `npm start` runs. Variables of this shell, such as keys of real providers, must not change the run. */
function startCommand({
  upstreamUrl,
  folder,
  dataFolder,
  profile,
  isReady,
}: FleetOptions & { dataFolder: string; isReady: () => boolean }): ChildSpec {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  return {
    name: 'npm start',
    command: process.execPath,
    args: [...smallMemory, path.join(repositoryRoot, 'infra/src/commands/start.ts')],
    env: {
      PATH,
      HOME,
      NODE_COMPILE_CACHE,
      RATCHET_DATA_DIR: dataFolder,
      CATALOG_DIR: writeCatalog(path.join(folder, 'catalog'), upstreamUrl),
      ...(profile === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` }),
    },
    cwd: repositoryRoot,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 60_000,
    readyTimeoutMs: 180_000,
    isReady: async () => isReady(),
  }
}

/** A catalog whose only model is the scripted upstream's. @returns its folder */
function writeCatalog(folder: string, upstreamUrl: string): string {
  const [provider = ''] = cannedModel.split('/')
  mkdirSync(folder, { recursive: true })
  const catalog = {
    as_of: '2026-11-01',
    source: 'the benchmark',
    providers: [
      {
        id: provider,
        name: 'Scripted upstream',
        adapter: 'openai',
        base_url: new URL('/v1', upstreamUrl).href,
        api_key_env: 'SIM_API_KEY', // always set beside the simulated provider
      },
    ],
    models: [
      {
        id: cannedModel,
        provider,
        upstream_model: 'canned',
        kind: 'chat',
        context_window: 128_000,
        max_output_tokens: 4_096,
        input_per_mtok: '1',
        cached_input_per_mtok: null,
        output_per_mtok: '2',
        capabilities: ['chat', 'streaming'],
      },
    ],
  }
  writeFileSync(path.join(folder, 'canned.json'), JSON.stringify(catalog))
  return folder
}

/** A workspace with a key, credit and logging. Settings that are not given are the defaults: no rate limits. */
async function createMeasuredWorkspace({ database_url: databaseUrl }: FleetInfo) {
  const workspace = await createDemoWorkspace(databaseUrl, { balanceUsd })
  const pool = connectPool({ databaseUrl, max: 1 })
  try {
    const insert = 'INSERT INTO workspace_settings (workspace_id, logging_enabled) VALUES ($1, true)'
    await pool.query(insert, [workspace.workspaceId])
  } finally {
    await pool.end()
  }
  return workspace
}
