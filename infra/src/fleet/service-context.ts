import type { NamedKey } from '@ratchet/service-kit/identity/identity'

/** The values from which the environment of every service is built. */
export interface ServiceContext {
  /** Address that the services bind; 127.0.0.1 when they run on a person's machine. */
  readonly host: string
  readonly databaseUrl: string
  readonly redisUrl: string
  /** The first one signs; all verify. */
  readonly masterKeys: readonly NamedKey[]
  /** Encrypt the secrets of workspaces: the first one encrypts; all decrypt. */
  readonly encryptionKeys: readonly NamedKey[]
  /** Parent folder of the spill folders, one per service. */
  readonly spillFolder: string
  /** Where training keeps checkpoints of models, unless they are in a bucket. */
  readonly artifactsFolder: string
  readonly simulatedProviderUrl?: string
  /** Where inference takes requests of this edge in frames, `unix:/path` or `tcp://host:port`; absent: over HTTP only. */
  readonly framesUrl?: string | undefined
  /** Names this fleet in the answers of readiness probes, so that a process of another fleet is not taken for its own. */
  readonly instanceId?: string
  /** Base URL of another service. */
  readonly urlOf: (service: string) => string
  /** Base URL of the edge's listener for the voice interface; absent: there is none. */
  readonly voiceUrl?: string
  /** Absent: no dashboard runs, and the edge knows none. */
  readonly dashboard?: DashboardContext
  /** The operator's environment: source of provider keys and overrides. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface DashboardContext {
  /** Base URL of the edge's listener for the dashboard. */
  readonly sessionUrl: string
  /** Signs the cookies of people who signed in. */
  readonly authSecret: string
  /** Folder of its built pages; absent: where the image has them. */
  readonly webFolder?: string
}
