import { z } from 'zod'

/**
 * Parses the environment once, at the start. An empty variable counts as absent, because compose files and shells set
 * optional variables to nothing.
 *
 * @throws Error that lists all problems, one per line
 */
export function loadConfig<Schema extends z.ZodType>(schema: Schema, env: NodeJS.ProcessEnv): z.output<Schema> {
  const result = schema.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')))
  if (result.success) return result.data
  throw new Error(`Invalid environment:\n${z.prettifyError(result.error)}`)
}

/**
 * Milliseconds without any answer of the database after which it counts as unavailable. With the default, callers get an
 * error within 300 ms; a database behind a slow network may need more.
 */
export const DatabaseSilenceMs = z.coerce.number().int().min(1).default(250)

/** Settings that every HTTP service has. Spread into the service's own schema. */
export const httpServiceConfig = {
  PORT: z.coerce.number().int().min(0).max(65_535),
  HOST: z.string().default('0.0.0.0'),
  /**
   * If set, `/metrics` is only on this port, which clients cannot reach; probes are on both. Without it the edge serves no
   * metrics, because clients reach its port.
   */
  ADMIN_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  BRAND_WORD: z.string().optional(),
  /** Named by readiness probes, so that the program that started this process recognizes it. */
  INSTANCE_ID: z.string().optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Milliseconds between failing readiness and refusing connections; longer than load balancers need to notice. */
  DRAIN_DELAY_MS: z.coerce.number().int().min(0).default(10_000),
  /** Maximum milliseconds for which running requests may continue after connections are refused. */
  DRAIN_TIMEOUT_MS: z.coerce.number().int().min(0).default(600_000),
}
