import { aliasConfig } from '@ratchet/judge-kit/fleet/connect-alias'
import { fleetConfig } from '@ratchet/judge-kit/fleet/connect-fleet'
import { voiceConfig } from '@ratchet/judge-kit/fleet/connect-voice'
import { httpServiceConfig } from '@ratchet/service-kit/process/config'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { z } from 'zod'

export const JudgingWorkerConfig = z.object({
  ...httpServiceConfig,
  ...fleetConfig,
  ...aliasConfig,
  ...voiceConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  /** Judgements of one workspace that a worker processes at the same time. */
  JUDGE_CONCURRENCY: z.coerce.number().int().min(1).max(500).default(16),
  /** Milliseconds between two passes over fresh traffic. */
  MONITOR_EVERY_MS: z.coerce.number().int().min(100).default(5_000),
  /** Milliseconds that the log may take to store an exchange. Younger exchanges are not read yet. */
  MONITOR_INGEST_LAG_MS: z.coerce.number().int().min(0).default(35_000),
  /** Milliseconds between sweeps for drift. */
  DRIFT_SWEEP_MS: z.coerce.number().int().min(1_000).default(dayMs),
  /** Days after which a calibration is too old to rely on. */
  CALIBRATION_HOLDS_DAYS: z.coerce.number().int().min(1).default(30),
})
export type JudgingWorkerConfig = z.output<typeof JudgingWorkerConfig>
