import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'

/** The root folder of the repository. */
export const repositoryRoot = path.join(import.meta.dirname, '..', '..', '..')

/** Where a fleet of `npm start` stores everything that outlives a process. */
export interface DataPaths {
  readonly folder: string
  readonly postgres: string
  readonly redis: string
  /** Settlements that wait while Postgres is unavailable, one folder per service. */
  readonly spill: string
  /** Checkpoints of trained models. */
  readonly artifacts: string
  readonly logs: string
  /** The socket on which inference takes requests of the edge in frames. */
  readonly framesSocket: string
  /** `--telemetry` writes a configuration for Prometheus here. */
  readonly telemetry: string
  readonly secretsFile: string
  /** The port of the API, which later starts use again. */
  readonly portsFile: string
  /** Addresses and keys of the running fleet, for tools. */
  readonly fleetFile: string
  /** Process ids of the running fleet; absent while nothing runs. */
  readonly runFile: string
}

/** @param folder absolute, or relative to the repository; `.data` when absent */
export function dataPaths(folder = '.data'): DataPaths {
  const base = path.resolve(repositoryRoot, folder)
  return {
    folder: base,
    postgres: path.join(base, 'postgres'),
    redis: path.join(base, 'redis'),
    spill: path.join(base, 'spill'),
    artifacts: path.join(base, 'artifacts'),
    logs: path.join(base, 'logs'),
    framesSocket: path.join(base, 'inference.sock'),
    telemetry: path.join(base, 'telemetry'),
    secretsFile: path.join(base, 'secrets.json'),
    portsFile: path.join(base, 'ports.json'),
    fleetFile: path.join(base, 'fleet.json'),
    runFile: path.join(base, 'run.json'),
  }
}

/**
 * Creates the data folder. From now on, this process and those that it starts create files for their owner alone. Postgres
 * runs as another user if this one is root, and must then be able to pass through the folder.
 */
export function createDataFolder(paths: DataPaths): void {
  process.umask(0o077)
  mkdirSync(paths.logs, { recursive: true })
  chmodSync(paths.folder, process.getuid?.() === 0 ? 0o711 : 0o700)
  for (const { name } of foldersOf(paths.folder)) chmodSync(path.join(paths.folder, name), 0o700)
}

/** Those of Postgres have these rights already, and may belong to its user. */
function foldersOf(folder: string) {
  return readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && statSync(path.join(folder, entry.name)).uid === process.getuid?.(),
  )
}
