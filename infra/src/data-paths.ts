import { chmodSync, mkdirSync } from 'node:fs'
import path from 'node:path'

/** The repository's own folder. */
export const repositoryRoot = path.join(import.meta.dirname, '..', '..')

/** Where a fleet of `npm start` keeps everything that outlives a process. */
export interface DataPaths {
  readonly folder: string
  readonly postgres: string
  readonly redis: string
  /** Charges that wait for the database to come back, one folder per service. */
  readonly spill: string
  readonly logs: string
  /** What `--telemetry` writes: a configuration for Prometheus. */
  readonly telemetry: string
  readonly secretsFile: string
  /** What tools read: addresses and keys of the running fleet. */
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
    logs: path.join(base, 'logs'),
    telemetry: path.join(base, 'telemetry'),
    secretsFile: path.join(base, 'secrets.json'),
    fleetFile: path.join(base, 'fleet.json'),
    runFile: path.join(base, 'run.json'),
  }
}

/** Creates the data folder. Postgres may run as another user than we do, so that user must be able to pass through. */
export function createDataFolder(paths: DataPaths): void {
  mkdirSync(paths.logs, { recursive: true })
  chmodSync(paths.folder, 0o755)
}
