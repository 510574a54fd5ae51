import { z } from 'zod'

/**
 * Parses the environment once, at startup. A variable set to nothing counts as absent, as compose files and
 * shells leave them.
 *
 * @throws Error that lists every problem at once, one line each.
 */
export function loadConfig<Schema extends z.ZodType>(schema: Schema, env: NodeJS.ProcessEnv): z.output<Schema> {
  const result = schema.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')))
  if (result.success) return result.data
  throw new Error(`Invalid environment:\n${z.prettifyError(result.error)}`)
}

/**
 * Milliseconds that the database may say nothing at all before callers are told that it is away. The default answers
 * them within 300; a database behind a slow network may need more.
 */
export const DatabaseSilenceMs = z.coerce.number().int().min(1).default(250)

/** Settings that every HTTP service has. Spread into the service's own schema. */
export const httpServiceConfig = {
  PORT: z.coerce.number().int().min(0).max(65_535),
  HOST: z.string().default('0.0.0.0'),
  /** When set, `/metrics` moves to this port, away from callers; probes answer on both. */
  ADMIN_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  BRAND_WORD: z.string().optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Milliseconds between failing readiness and refusing connections: longer than endpoint propagation. */
  DRAIN_DELAY_MS: z.coerce.number().int().min(0).default(10_000),
  /** Milliseconds that running exchanges get to finish once connections are refused. */
  DRAIN_TIMEOUT_MS: z.coerce.number().int().min(0).default(600_000),
}
