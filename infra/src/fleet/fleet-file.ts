import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** What tools need in order to use a running fleet. */
export interface FleetInfo {
  /** Without `/v1`. */
  readonly base_url: string
  readonly voice_base_url: string
  readonly dashboard_url: string | null
  readonly database_url: string
  readonly redis_url: string
  /** Null when real providers are used. */
  readonly simulated_provider_url: string | null
  /** Slug of the demo workspace. */
  readonly workspace: string
  /** Key of the workspace's owner. */
  readonly api_key: string
  /** With which that owner signs in to the dashboard. */
  readonly owner_email: string
  /** Null when the owner has chosen another one. */
  readonly owner_password: string | null
  /** Key of an ordinary member. */
  readonly member_api_key: string
  /** Key of the owner for the voice interface. */
  readonly voice_api_key: string
  /** URL of each process's metrics. */
  readonly metrics_urls: Readonly<Record<string, string>>
  /** Process ids by name, with the supervisor's. */
  readonly pids: Readonly<Record<string, number>>
}

/** Writes the file atomically, readable by its owner only because it contains keys. */
export function writeFleetFile(file: string, info: FleetInfo): void {
  writePrivateJson(file, info)
}

/** Reads the file of the fleet, which may have been killed; null when there is no file. */
export function readFleetFile(file: string): FleetInfo | null {
  return readJson<FleetInfo>(file)
}

export function removeFleetFile(file: string): void {
  rmSync(file, { force: true })
}

/** Replaces a file that only its owner may read. */
export function writePrivateJson(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}.tmp`
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

/** Returns the file's content, or null when it is missing or incomplete. */
export function readJson<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return null
  }
}
