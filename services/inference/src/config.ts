import { DatabaseSilenceMs, httpServiceConfig } from '@ratchet/service-kit/config'
import { HostList } from '@ratchet/service-kit/host-list-config'
import { NamedKeys } from '@ratchet/service-kit/identity'
import { z } from 'zod'

export const InferenceConfig = z.object({
  ...httpServiceConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  IDENTITY_KEYS: NamedKeys,
  /** Open the keys that workspaces bring for providers; the first one seals. */
  ENCRYPTION_KEYS: NamedKeys,
  /** Whether workspaces may bring any public address with their keys, or only `BYOK_ALLOWED_HOSTS`. */
  BYOK_CUSTOM_HOSTS: z.stringbool().default(false),
  /** Hosts the operator vouches for, private ones too, separated by commas. */
  BYOK_ALLOWED_HOSTS: HostList,
  /** Most connections for one workspace's own key. */
  BYOK_CONNECTIONS: z.coerce.number().int().min(1).default(100),
  /** Folder for charges that could not be committed; survives a restart of the process. */
  SPILL_DIR: z.string().min(1),
  /** Catalog files that add to the shipped ones or replace entries of theirs. */
  CATALOG_DIR: z.string().min(1).optional(),
  /** Where the simulated provider listens; its models exist only while this is set. */
  SIMULATED_PROVIDER_URL: z.url().optional(),
  UPSTREAM_CONNECTIONS: z.coerce.number().int().min(1).default(1_000),
  UPSTREAM_CONNECT_TIMEOUT_MS: z.coerce.number().int().min(1).default(5_000),
  UPSTREAM_FIRST_BYTE_TIMEOUT_MS: z.coerce.number().int().min(1).default(600_000),
  UPSTREAM_IDLE_TIMEOUT_MS: z.coerce.number().int().min(1).default(60_000),
  UPSTREAM_TOTAL_TIMEOUT_MS: z.coerce.number().int().min(1).default(900_000),
  /** Seconds between two audits of the whole ledger by this process. */
  LEDGER_AUDIT_SECONDS: z.coerce.number().int().min(1).default(300),
  /** Bytes of request bodies that the process holds at a time; what comes on top is told to come again. */
  BODIES_MAX_BYTES: z.coerce.number().int().min(1).default(134_217_728),
  /** Where answers are cached, when that is not `REDIS_URL`: a Redis of its own may evict. */
  CACHE_REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  /** The logging service, and the keys that sign what is handed to it directly. */
  LOGGING_URL: z.url({ protocol: /^https?$/ }),
  LOGGING_KEYS: NamedKeys,
  /** The alias service, which is told what comes by on aliases, and the keys that sign for it. */
  ALIAS_URL: z.url({ protocol: /^https?$/ }),
  ALIAS_KEYS: NamedKeys,
  DATABASE_SILENCE_MS: DatabaseSilenceMs,
  SLOW_READER_TIMEOUT_MS: z.coerce.number().int().min(1).default(60_000),
})
export type InferenceConfig = z.infer<typeof InferenceConfig>

/** Environment variables, among them the keys of providers under the names that the catalog gives. */
export type Environment = Readonly<Record<string, string | undefined>>
