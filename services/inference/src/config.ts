import { FramesAddress } from '@ratchet/service-kit/frames/frames-address'
import { CallerKeys, calleeConfig } from '@ratchet/service-kit/identity/caller-keys'
import { NamedKeys } from '@ratchet/service-kit/identity/identity'
import { DatabaseSilenceMs, httpServiceConfig } from '@ratchet/service-kit/process/config'
import { HostList } from '@ratchet/service-kit/process/host-list-config'
import { LedgerUrls } from '@ratchet/work-kit/processes/ledger-urls-config'
import { z } from 'zod'

export const InferenceConfig = z.object({
  ...httpServiceConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  ...calleeConfig,
  /** Encryption keys of the provider keys that workspaces bring. The first one encrypts, all decrypt. */
  ENCRYPTION_KEYS: NamedKeys,
  /**
   * When true, workspaces may enter any public address with their keys, otherwise only those of `BYOK_ALLOWED_HOSTS`.
   */
  BYOK_CUSTOM_HOSTS: z.stringbool().default(false),
  /** Hosts that workspaces may always enter, including private ones, separated by commas. */
  BYOK_ALLOWED_HOSTS: HostList,
  /** Folder for charges that could not be committed. It must survive a restart of the process. */
  SPILL_DIR: z.string().min(1),
  /** Catalog files that add entries to the shipped ones or replace them. */
  CATALOG_DIR: z.string().min(1).optional(),
  /** Address of the simulated provider. Its models exist only while this is set. */
  SIMULATED_PROVIDER_URL: z.url().optional(),
  /** How long a request to a model version of the pool waits until an engine has it, milliseconds. */
  POOL_MAX_WAIT_MS: z.coerce.number().int().min(1).max(600_000).default(20_000),
  UPSTREAM_CONNECT_TIMEOUT_MS: z.coerce.number().int().min(1).default(5_000),
  UPSTREAM_FIRST_BYTE_TIMEOUT_MS: z.coerce.number().int().min(1).default(600_000),
  UPSTREAM_IDLE_TIMEOUT_MS: z.coerce.number().int().min(1).default(60_000),
  UPSTREAM_TOTAL_TIMEOUT_MS: z.coerce.number().int().min(1).default(900_000),
  /** Maximum bytes of request bodies that the process holds at a time, a quarter of them for one workspace. */
  BODIES_MAX_BYTES: z.coerce.number().int().min(1).default(134_217_728),
  /** Redis of the response cache, when it is not `REDIS_URL`. A Redis of its own may evict. */
  CACHE_REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  /** The logging service, and the keys that sign calls to it. */
  LOGGING_URL: z.url({ protocol: /^https?$/ }),
  LOGGING_KEYS: CallerKeys,
  /** The alias service, which gets the traffic reports of aliases, and the keys that sign calls to it. */
  ALIAS_URL: z.url({ protocol: /^https?$/ }),
  ALIAS_KEYS: CallerKeys,
  DATABASE_SILENCE_MS: DatabaseSilenceMs,
  /** Databases of other ledgers than the one in DATABASE_URL, `b=postgres://…,c=postgres://…`. */
  LEDGER_DATABASE_URLS: LedgerUrls,
  /** Where edges connect to send requests in frames, `unix:/path` or `tcp://host:port`; absent: over HTTP only. */
  FRAMES_LISTEN: FramesAddress.optional(),
  /** Stripe's secret key and the secret of its webhook; without them only the operator credits wallets. */
  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  /** The public origin of the dashboard, to which a payment page leads back; needed with Stripe. */
  DASHBOARD_ORIGIN: z.url({ protocol: /^https?$/ }).optional(),
  /** Days after which the price of a model is old, and who uses the model is warned. */
  CATALOG_STALE_DAYS: z.coerce.number().int().min(1).max(3_650).default(90),
  SLOW_READER_TIMEOUT_MS: z.coerce.number().int().min(1).default(60_000),
})
export type InferenceConfig = z.infer<typeof InferenceConfig>

/** Environment variables, among them the keys of providers under the names that the catalog states. */
export type Environment = Readonly<Record<string, string | undefined>>
