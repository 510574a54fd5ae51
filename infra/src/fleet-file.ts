import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** What tools need to use a running fleet; null for what does not exist in it. */
export interface FleetInfo {
  /** Without `/v1`. */
  readonly base_url: string
  readonly voice_base_url: string | null
  readonly dashboard_url: string | null
  readonly database_url: string
  readonly redis_url: string
  /** Null when real providers answer. */
  readonly simulated_provider_url: string | null
  /** Slug of the demo workspace. */
  readonly workspace: string
  /** Of the workspace's owner. */
  readonly api_key: string
  /** Of a plain member. */
  readonly member_api_key: string
  /** Where each process serves its metrics. */
  readonly metrics_urls: Readonly<Record<string, string>>
  /** Process id of everything that runs, the supervisor included. */
  readonly pids: Readonly<Record<string, number>>
}

/** Writes the file whole or not at all, readable by its owner only: it holds keys. */
export function writeFleetFile(file: string, info: FleetInfo): void {
  writePrivateJson(file, info)
}

/** The last fleet's file, or null when there is none. It may be of a fleet that was killed. */
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

/** The file's content, or null when it is missing or half written. */
export function readJson<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return null
  }
}
